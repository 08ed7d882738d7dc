"""Signing up and in, tokens, passwords, teams: without script, over real forms."""

import re
from dataclasses import replace

from ladderboard.mechanisms.shaky_ladder import ShakyLadder
from ladderboard.server.boards.views import carry_forward
from ladderboard.server.people.accounts import Registry
from tests.web.pages.readers import Reader
from tests.web.servers import PASSWORD, Server

TEAM = "/competitions/pets/team"


def secret_of(html: str) -> str:
    """The first secret on a page."""
    found = re.search(r'class="secret">([^<]+)<', html)
    assert found is not None
    return found[1]


def test_a_wrong_password_is_said_and_the_name_is_kept(site: Server) -> None:
    reader = Reader(site)
    reader.open("/sign-in")
    page = reader.send("/sign-in", {"name": "a0", "password": "not this"}, status=403)
    assert page.tree.one(role="alert").text == "The name or the password is wrong."
    assert page.tree.one("input", name="name").attributes["value"] == "a0"
    assert "not this" not in page.html


def test_a_name_that_is_taken_and_a_short_password_are_refused(own_site: Server) -> None:
    Reader(own_site).sign_up("ada")
    reader = Reader(own_site)
    reader.open("/sign-up")
    page = reader.send("/sign-up", {"name": "ADA", "password": PASSWORD}, status=409)
    assert "is taken" in page.tree.one(role="alert").text
    page = reader.send("/sign-up", {"name": "bea", "password": "short"}, status=422)
    assert "8 to 200 characters" in page.tree.one(role="alert").text


def test_whoever_signs_out_is_out(own_site: Server) -> None:
    reader = Reader(own_site).sign_up("ada")
    reader.open("/")
    cookie = dict(reader.http.cookies)
    reader.send("/sign-out")
    assert reader.open("/account").path == "/sign-in"
    reader.http.cookies.update(cookie)
    assert reader.open("/account").path == "/sign-in"


def test_a_token_is_shown_once_works_and_can_be_revoked(own_site: Server) -> None:
    reader = Reader(own_site).sign_up("ada")
    made = reader.send("/account/tokens", {"name": "laptop", "scope": "read submit"})
    token = secret_of(made.html)
    assert made.answer.headers["cache-control"] == "no-store"
    assert own_site.client(token).get("/api/v1/me").json()["scopes"] == ["read", "submit"]
    page = reader.open("/account")
    assert token not in page.html
    (form,) = [form for form in page.tree.all("form") if form.attributes["action"].endswith("/revoke")]
    assert "revoked" in reader.send(form.attributes["action"]).text
    assert own_site.client(token).get("/api/v1/me").status_code == 401


def test_a_participant_gets_no_token_for_organising(own_site: Server) -> None:
    reader = Reader(own_site).sign_up("ada")
    page = reader.send("/account/tokens", {"name": "x", "scope": "organise read submit"}, status=403)
    assert "organise" in page.tree.one(role="alert").text


def test_a_changed_password_ends_the_other_sessions_and_not_this_one(own_site: Server) -> None:
    here, there = Reader(own_site).sign_up("ada"), Reader(own_site).sign_in("ada")
    here.open("/account")
    page = here.send("/account/password", {"password": "wrong", "new_password": "battery staple"}, status=403)
    assert page.tree.one(role="alert").text == "The current password is wrong; nothing was changed."
    assert "changed" in here.send("/account/password", {"password": PASSWORD, "new_password": "battery staple"}).text
    assert there.open("/account").path == "/sign-in"
    assert here.open("/account").heading == "ada"


def test_all_other_sessions_can_be_ended(own_site: Server) -> None:
    here, there = Reader(own_site).sign_up("ada"), Reader(own_site).sign_in("ada")
    here.open("/account")
    here.send("/account/sessions/end")
    assert there.open("/account").path == "/sign-in"
    assert here.open("/account").heading == "ada"


def test_the_account_lists_where_one_is_signed_in_and_signs_out_everywhere(own_site: Server) -> None:
    here, there = Reader(own_site).sign_up("ada"), Reader(own_site).sign_in("ada")
    Reader(own_site).sign_up("bea")
    listed = here.open("/account").tree.one("ul", class_="sessions").all("li")
    assert len(listed) == 2
    assert ["this browser" in line.text for line in listed] == [True, False]
    assert here.send("/account/sessions/end", {"everywhere": "yes"}).path == "/sign-in"
    assert here.open("/account").path == "/sign-in"
    assert there.open("/account").path == "/sign-in"


def test_a_forgotten_password_is_set_with_an_organisers_code(own_site: Server) -> None:
    Reader(own_site).sign_up("ada")
    code = Registry(own_site.app.state.accounts).make_reset_code("ada")
    reader = Reader(own_site)
    reader.open("/reset-password")
    assert (
        "wrong, used or expired"
        in reader.send("/reset-password", {"code": "nonsense", "password": "battery staple"}, status=403)
        .tree.one(role="alert")
        .text
    )
    page = reader.send("/reset-password", {"code": str(code), "password": "battery staple"})
    assert page.path == "/sign-in"
    assert reader.send("/sign-in", {"name": "ada", "password": "battery staple", "next": "/account"}).heading == "ada"


def test_a_team_invites_by_code_and_by_link(own_site: Server) -> None:
    ada, bea = Reader(own_site).sign_up("ada").found("Owls"), Reader(own_site).sign_up("bea")
    ada.open(TEAM)
    made = ada.send(f"{TEAM}/invitations", {"kind": "join"})
    code = secret_of(made.html)
    assert f"{TEAM}?join={code}" in made.html
    assert code not in ada.open(TEAM).html
    page = bea.open(f"{TEAM}?join={code}")
    assert page.tree.one("form", action=f"{TEAM}/join").one("input", name="code").attributes["value"] == code
    assert bea.send(f"{TEAM}/join", {"code": code}).heading == "Owls"
    assert [row.text for row in bea.open(TEAM).tree.all("tbody")[0].all("th")] == ["ada", "bea you"]
    carl = Reader(own_site).sign_up("carl")
    carl.open(TEAM)
    assert "used" in carl.send(f"{TEAM}/join", {"code": code}, status=404).tree.one(role="alert").text


def test_an_invitation_that_was_taken_back_lets_nobody_in(own_site: Server) -> None:
    ada, bea = Reader(own_site).sign_up("ada").found("Owls"), Reader(own_site).sign_up("bea")
    ada.open(TEAM)
    made = ada.send(f"{TEAM}/invitations", {"kind": "join"})
    (form,) = [form for form in made.tree.all("form") if form.attributes["action"].endswith("/revoke")]
    assert "is revoked" in ada.send(form.attributes["action"]).text
    bea.open(TEAM)
    bea.send(f"{TEAM}/join", {"code": secret_of(made.html)}, status=404)


def test_two_teams_merge_and_a_name_can_be_changed(own_site: Server) -> None:
    ada, bea = Reader(own_site).sign_up("ada").found("Owls"), Reader(own_site).sign_up("bea").found("Foxes")
    bea.open(TEAM)
    code = secret_of(bea.send(f"{TEAM}/invitations", {"kind": "merge"}).html)
    ada.open(f"{TEAM}?merge={code}")
    assert "The teams are merged." in ada.send(f"{TEAM}/merge", {"code": code}).text
    assert bea.open(TEAM).heading == "Owls"
    assert bea.send(f"{TEAM}/rename", {"name": "Night owls"}).heading == "Night owls"


def test_the_progress_of_merged_teams_never_falls_since_the_better_number_is_held(own_site: Server) -> None:
    live = own_site.services.competition("pets")
    assert carry_forward([None, 0.7, 0.9, 0.8, None], live=live) == [None, 0.7, 0.9, 0.9, 0.9]
    # Where a new number may be the worse one, it is shown as it is.
    noisy = replace(live.competition, mechanism=ShakyLadder())
    ranked = replace(live.competition, rules=replace(live.rules, instances="rank"))
    for other in (noisy, ranked):
        assert carry_forward([0.9, 0.8], live=replace(live, competition=other)) == [0.9, 0.8]


def test_leaving_gives_no_fresh_start_but_a_way_back(own_site: Server) -> None:
    ada = Reader(own_site).sign_up("ada").found("Owls")
    ada.open(TEAM)
    assert ada.send(f"{TEAM}/leave").heading == "Your team"
    assert "no fresh start" in ada.send(TEAM, {"name": "Fresh"}, status=409).tree.one(role="alert").text
    assert ada.send(f"{TEAM}/return").heading == "Owls"


def test_an_organiser_sees_no_form_to_submit(own_site: Server) -> None:
    Registry(own_site.app.state.accounts).add("olga", PASSWORD, role="organiser")
    page = Reader(own_site).sign_in("olga").open("/competitions/pets/submit")
    assert "does not compete" in page.text
    assert not page.tree.all("input", type="file")


def test_an_invitation_opens_a_competition_that_only_members_see(own_site: Server) -> None:
    ada = Reader(own_site).sign_up("ada").found("Owls")
    ada.open(TEAM)
    code = secret_of(ada.send(f"{TEAM}/invitations", {"kind": "join"}).html)
    competition = own_site.services.competition("pets").competition
    object.__setattr__(competition, "rules", replace(competition.rules, visibility="private"))
    bea = Reader(own_site).sign_up("bea")
    bea.open("/competitions/pets", status=404)
    bea.open(TEAM, status=404)
    # What can be seen without a good code is the same as for a competition that does not exist.
    for slug in ("pets", "nothing"):
        page = bea.open(f"/competitions/{slug}/team?join=wrong")
        refused = bea.send(f"/competitions/{slug}/team/join", {"code": "wrong"}, status=404)
        assert page.heading == refused.heading == "Join a team"
        assert "wrong, used, revoked or expired" in refused.tree.one(role="alert").text
        assert "Cats" not in page.html + refused.html
    bea.open(f"{TEAM}?join={code}")
    assert bea.send(f"{TEAM}/join", {"code": code}).heading == "Owls"
    assert bea.open("/competitions/pets").heading.startswith("Pets")


def test_people_download_what_is_kept_about_them_and_delete_their_account(own_site: Server) -> None:
    ada = Reader(own_site).sign_up("ada").found("Whales")
    page = ada.open("/account")
    assert "/account/delete" in page.html
    kept = ada.http.get("/api/v1/me/export")
    assert kept.headers["cache-control"] == "no-store"
    assert kept.json()["memberships"][0]["team"] == "Whales"
    ada.open("/account/delete")
    for typed, status in (({"name": "eve", "password": PASSWORD}, 422), ({"name": "ada", "password": "wrong"}, 403)):
        refused = ada.send("/account/delete", typed, status=status)
        assert "nothing was deleted" in refused.tree.one(role="alert").text.lower()
    gone = ada.send("/account/delete", {"name": "ada", "password": PASSWORD})
    assert (gone.path, "Your account is deleted." in gone.text) == ("/sign-in", True)
    assert ada.open("/account").path == "/sign-in"
    assert Reader(own_site).http.get("/api/v1/me/export").status_code == 401


def test_a_form_from_elsewhere_deletes_nothing(own_site: Server) -> None:
    ada = Reader(own_site).sign_up("ada")
    assert ada.http.post("/account/delete", data={"name": "ada", "password": PASSWORD}).status_code == 403
    assert ada.open("/account").heading == "ada"
