"""Addresses of the reviewer's pages."""

from __future__ import annotations

from django.urls import path

from sessions_app.views import answers, documents, index, results, rollback, session, stream

app_name = "sessions"
urlpatterns = [
    path("", index.index, name="index"),
    path("sessions/", index.create, name="create"),
    path("sessions/<str:public_id>/", session.session, name="session"),
    path("sessions/<str:public_id>/live", session.live, name="live"),
    path("sessions/<str:public_id>/events", stream.stream, name="events"),
    path("sessions/<str:public_id>/widgets/<str:widget_id>/answer", answers.answer, name="answer"),
    path("sessions/<str:public_id>/widgets/<str:widget_id>/other", answers.other, name="other"),
    path(
        "sessions/<str:public_id>/texts/<str:text_id>/not-meant",
        answers.not_meant,
        name="not-meant",
    ),
    path("sessions/<str:public_id>/steer", answers.steer, name="steer"),
    path("sessions/<str:public_id>/pause", answers.pause, name="pause"),
    path("sessions/<str:public_id>/resume", answers.resume, name="resume"),
    path("sessions/<str:public_id>/retry", answers.retry, name="retry"),
    path("sessions/<str:public_id>/take-over", answers.take_over, name="take-over"),
    path("sessions/<str:public_id>/back", rollback.dialog, name="back"),
    path("sessions/<str:public_id>/rollback", rollback.rollback, name="rollback"),
    path("sessions/<str:public_id>/artifacts/<path:name>", documents.artifact, name="artifact"),
    path("sessions/<str:public_id>/runs/<int:run_id>", documents.run, name="run"),
    path("sessions/<str:public_id>/ledger", documents.ledger, name="ledger"),
    path("sessions/<str:public_id>/verify", documents.verify, name="verify"),
    path("sessions/<str:public_id>/result/panel", results.panel, name="result-panel"),
    path("sessions/<str:public_id>/result", results.rows, name="result"),
    path("sessions/<str:public_id>/result.csv", results.csv, name="result-csv"),
]
