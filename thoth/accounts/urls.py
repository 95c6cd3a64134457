"""Addresses below /accounts/."""

from __future__ import annotations

from django.urls import path

from thoth.accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
]
