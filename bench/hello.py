"""Hello: a minimal FastAPI application, the baseline of `bench.load`.

It is served like the API: one process of uvicorn, the same event loop and the same HTTP parser.

    python -m bench.hello 8001
"""

import sys

import uvicorn
from fastapi import FastAPI

app = FastAPI(openapi_url=None)


@app.get("/hello")
async def hello() -> dict[str, str]:
    """Say hello."""
    return {"hello": "world"}


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), server_header=False, access_log=False, log_level="warning")
