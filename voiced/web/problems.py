"""Errors over HTTP as problem details (RFC 9457): a type, a sentence, never a stack trace."""

import json

from aiohttp import web
from aiohttp.typedefs import Handler

from voiced.errors import Refused
from voiced.ops import log, metrics


def response(refused: Refused) -> web.Response:
    """What a client is told when its request is refused."""
    metrics.OFFERS_REFUSED.labels(refused.kind).inc()
    body = {
        "type": f"urn:voiced:problem:{refused.kind}",
        "title": refused.kind.replace("-", " "),
        "status": refused.status,
        "detail": str(refused),
    }
    headers = {}
    if refused.retry_after_s is not None:
        headers["Retry-After"] = str(refused.retry_after_s)
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return web.Response(
        status=refused.status,
        text=json.dumps(body),
        content_type="application/problem+json",
        headers=headers,
    )


@web.middleware
async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turns whatever goes wrong in a route into problem details."""
    try:
        return await handler(request)
    except Refused as refused:
        return response(refused)
    except web.HTTPRequestEntityTooLarge:
        return response(Refused(413, "too-large", "the body is larger than this route takes"))
    except web.HTTPMethodNotAllowed as wrong:
        allowed = ", ".join(sorted(wrong.allowed_methods))
        answer = response(Refused(405, "wrong-method", f"this route takes {allowed}"))
        answer.headers["Allow"] = allowed
        return answer
    except web.HTTPNotFound:
        return response(Refused(404, "unknown-route", "there is nothing at this path"))
    except web.HTTPException as other:
        if other.status < 400:
            raise  # a redirect is no problem
        return response(Refused(other.status, "http", other.reason))
    except Exception as error:  # noqa: BLE001 - border: one request may fail in any way, and only it may suffer
        log.failure("request.failed", error)
        return response(Refused(500, "internal", "this request failed; the server goes on"))
