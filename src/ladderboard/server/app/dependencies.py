"""Dependencies that routes ask for by type: services, accounts, client address."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from ladderboard.server.people.accounts import Accounts
from ladderboard.server.services import Services


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def _accounts(request: Request) -> Accounts:
    accounts: Accounts = request.app.state.accounts
    return accounts


async def _address(request: Request) -> str:
    """The client's address. Uvicorn trusts X-Forwarded-For from ``settings.trusted_proxies`` only."""
    return request.client.host if request.client is not None else ""


TheServices = Annotated[Services, Depends(_services)]
TheAccounts = Annotated[Accounts, Depends(_accounts)]
Address = Annotated[str, Depends(_address)]
