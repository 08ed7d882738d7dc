"""Tokens for programs: made with name and password, shown once, taken back at any time."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from ladderboard.hosting.people.identities import LONGEST_DAYS, Token
from ladderboard.web.api.inputs import Input, Line, Name, Password
from ladderboard.web.auth import SignedIn
from ladderboard.web.dependencies import Address, TheAccounts, TheIdentities
from ladderboard.web.errors import errors
from ladderboard.web.paging import Paging
from ladderboard.wire.common import Page
from ladderboard.wire.people import NewTokenBody, Scope, TokenBody

router = APIRouter(prefix="/tokens", tags=["people"])


class TokenWish(Input):
    """Name and password of an account, and what the token is for."""

    name: Name
    password: Password
    label: Line = ""
    scopes: Annotated[
        tuple[Scope, ...] | None,
        Field(min_length=1, max_length=3, description="null: `read`, and `submit` where the account may"),
    ] = None
    days: Annotated[int | None, Field(ge=1, le=LONGEST_DAYS, description="null: until it is revoked")] = None


@router.post("", status_code=201, responses=errors(401, 403, 409, 429))
def make(given: TokenWish, accounts: TheAccounts, identities: TheIdentities, address: Address) -> NewTokenBody:
    """Make a token. It is shown in this answer only."""
    account = accounts.sign_in(given.name, given.password, address=address)
    secret, token = identities.make_token(account, label=given.label, scopes=given.scopes, days=given.days)
    return NewTokenBody(
        token=secret,
        id=token.id,
        label=token.label,
        scopes=list(token.scopes),
        created_at=token.created_at.isoformat(),
        expires_at=_shown(token.expires_at),
    )


@router.get("", responses=errors(401))
def own(person: SignedIn, identities: TheIdentities, paging: Paging) -> Page[TokenBody]:
    """The own tokens that are not revoked, newest first."""
    tokens, total = identities.tokens_of(person, limit=paging.limit, offset=paging.offset)
    return paging.page([_body(token) for token in tokens], total)


@router.delete("/{token_id}", status_code=204, responses=errors(401, 403, 404))
def revoke(token_id: Annotated[str, Path(max_length=100)], person: SignedIn, identities: TheIdentities) -> None:
    """Take a token back, at once and for good."""
    identities.revoke_token(person, token_id)


def _body(token: Token) -> TokenBody:
    return TokenBody(
        id=token.id,
        label=token.label,
        scopes=list(token.scopes),
        created_at=token.created_at.isoformat(),
        expires_at=_shown(token.expires_at),
        last_used_at=_shown(token.last_used_at),
    )


def _shown(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
