"""What every route may ask for by its type: the host, the accounts, and who can be known again."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from ladderboard.hosting.accounts import Accounts
from ladderboard.hosting.host import Host
from ladderboard.hosting.identities import Identities


async def _host(request: Request) -> Host:
    host: Host = request.app.state.host
    return host


async def _accounts(request: Request) -> Accounts:
    accounts: Accounts = request.app.state.accounts
    return accounts


async def _identities(request: Request) -> Identities:
    identities: Identities = request.app.state.identities
    return identities


async def _address(request: Request) -> str:
    """Where the request comes from. Uvicorn believes X-Forwarded-For of ``settings.trusted_proxies`` only."""
    return request.client.host if request.client is not None else ""


TheHost = Annotated[Host, Depends(_host)]
TheAccounts = Annotated[Accounts, Depends(_accounts)]
TheIdentities = Annotated[Identities, Depends(_identities)]
Address = Annotated[str, Depends(_address)]
