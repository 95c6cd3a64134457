"""The sign-in form of auth mode `mock`."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from thoth.accounts.roles import LOCAL_USER, ROLES


class SignInForm(forms.Form):
    """A name and the roles to act in."""

    username = forms.CharField(
        max_length=64,
        validators=[RegexValidator(r"\A[A-Za-z0-9_.-]+\Z", _("Use letters, digits, . - and _."))],
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "username"}),
    )
    roles = forms.MultipleChoiceField(
        choices=[(role, role) for role in ROLES],
        initial=["reviewer"],
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_username(self) -> str:
        """`local` has the whole admin; nobody may take that name."""
        username: str = self.cleaned_data["username"]
        if username == LOCAL_USER:
            raise forms.ValidationError(_("This name is reserved."))
        return username

    def as_arguments(self) -> dict[str, Any]:
        """What services.user_ensure takes."""
        return {"username": self.cleaned_data["username"], "roles": self.cleaned_data["roles"]}
