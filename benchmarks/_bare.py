"""The floor of an upload: one endpoint of Starlette that receives a file and does nothing with it."""

import sys
from functools import lru_cache

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


async def receive(request: Request) -> Response:
    """Read the whole file, as whoever scores it must."""
    async with request.form() as form:
        file = form["file"]
        assert not isinstance(file, str)
        return JSONResponse({"bytes": len(await file.read())})


async def ready(_: Request) -> Response:
    """Say that it runs."""
    return Response()


async def plain(request: Request) -> Response:
    """So many bytes, made beforehand as a cached page would be."""
    return Response(_bytes(request.path_params["count"]), media_type="application/json")


@lru_cache(maxsize=8)
def _bytes(count: int) -> bytes:
    return b" " * count


app = Starlette(
    routes=[Route("/upload", receive, methods=["POST"]), Route("/bytes/{count:int}", plain), Route("/", ready)]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[sys.argv.index("--port") + 1]), log_level="warning")
