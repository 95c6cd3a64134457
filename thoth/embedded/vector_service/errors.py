"""What the service refuses, in the status codes and words of Qdrant itself."""

from __future__ import annotations

from starlette.responses import JSONResponse, PlainTextResponse, Response


class Refused(Exception):
    """A request that is answered with an error. `plain`: as text, the way Qdrant refuses keys."""

    def __init__(self, status: int, message: str, *, plain: bool = False) -> None:
        super().__init__(message)
        self.status, self.message, self.plain = status, message, plain

    def response(self, seconds: float = 0.0) -> Response:
        """The answer as it is sent."""
        if self.plain:
            return PlainTextResponse(self.message, self.status)
        body = {"time": seconds, "status": {"error": self.message}, "result": None}
        return JSONResponse(body, self.status)


def wrong(what: str) -> Refused:
    """400: the request contradicts the collection, or itself."""
    return Refused(400, f"Wrong input: {what}")


def out_of_range(what: str) -> Refused:
    """422: well formed, with a value that is not allowed."""
    return Refused(422, f"Validation error in JSON body: [{what}]")


def unsupported(what: str) -> Refused:
    """400: Qdrant has it, the embedded service does not."""
    return wrong(f"{what} is not supported by the embedded vector service")


def missing_collection(name: str) -> Refused:
    """404 for a collection."""
    return Refused(404, f"Not found: Collection `{name}` doesn't exist!")


def engine_error(error: Exception) -> Refused:
    """The engine's errors have no types: their text decides the status."""
    text = str(error)
    if text.startswith("No point with id"):
        return Refused(404, f"Not found: {text} found")
    return Refused(400, f"Wrong input: {text}")
