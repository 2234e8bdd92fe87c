"""The keys that sign bundles and audit heads, at an address that does not change."""

from dataclasses import asdict

from fastapi import Request
from starlette.responses import JSONResponse, Response

from api_schemas.tenancy.keys import SigningKeys
from service.http.responses import problems
from service.routes.router import guarded_router
from service.runtime.state import service_of

router = guarded_router("service")


@router.get(
    "/.well-known/antifaz-keys.json",
    operation_id="get_signing_keys",
    summary="Get the public keys that sign bundles and audit heads",
    responses={200: {"model": SigningKeys}, **problems(guarded=False)},
)
async def get_signing_keys(request: Request) -> Response:
    signer = service_of(request).head_signer
    keys = [{"public_key": key, "algorithm": "Ed25519"} for key in signer.public_keys]
    return JSONResponse({"keys": keys, "endorsements": [asdict(each) for each in signer.endorsements()]})
