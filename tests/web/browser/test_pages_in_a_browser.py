"""What only a browser can tell: scripts, layout, colours, the keyboard."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.hosting.competitions import a_file, predictions
from tests.web.browser.conftest import DESKTOP, PATIENCE, PHONE, opened, sign_in
from tests.web.pages.readers import Reader
from tests.web.servers import Server

PUBLIC = [
    "/",
    "/api",
    "/competitions/pets",
    "/competitions/pets/data",
    "/competitions/pets/rules",
    "/competitions/pets/leaderboard",
    "/competitions/pets/submit",
    "/competitions/pets/embed",
    "/mechanisms",
    "/mechanisms/witness_ladder",
    "/sign-in",
    "/sign-up",
]
MEMBERS = [
    "/competitions/pets/leaderboard",
    "/competitions/pets/submit",
    "/competitions/pets/submissions",
    "/competitions/pets/team",
    "/account",
]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SHIFT = """() => new Promise(resolve => {
  let total = 0;
  new PerformanceObserver(list => list.getEntries().forEach(entry => total += entry.value))
    .observe({type: "layout-shift", buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(total), 50)));
})"""


def write(server: Server, folder: Path, share: float) -> Path:
    competition = server.services.competition("pets").competition
    path = folder / "predictions.csv"
    path.write_bytes(a_file(competition, predictions(competition, share)))
    return path


@pytest.mark.parametrize(("width", "theme"), [("phone", "dark"), ("desktop", "light")])
def test_no_page_is_wider_than_its_screen_or_jumps_while_it_loads(
    browser: Browser, site: Server, width: str, theme: str
) -> None:
    screen = PHONE if width == "phone" else DESKTOP
    with opened(browser, site, viewport=screen, color_scheme=theme) as page:
        for path in PUBLIC:
            _fits(page, path)
        sign_in(page, "a4")
        for path in MEMBERS:
            _fits(page, path)


def _fits(page: Page, path: str) -> None:
    page.goto(path)
    assert page.evaluate(OVERFLOW) <= 0, path
    assert page.evaluate(SHIFT) < 0.1, path


def test_times_are_shown_in_the_readers_own_zone(browser: Browser, site: Server) -> None:
    with opened(browser, site, timezone_id="Asia/Tokyo", locale="en-GB") as page:
        page.goto("/competitions/pets")
        deadline = page.locator(".masthead time")
        # 17:00 UTC on the 23rd, announced as 18:00 in Berlin.
        expect(deadline).to_have_text(re.compile(r"24 March 2026.*02:00"))
        assert deadline.get_attribute("title") == "23 March 2026, 18:00 CET"


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_times_are_written_as_the_server_writes_them_whatever_the_locale(
    browser: Browser, site: Server, locale: str
) -> None:
    with opened(browser, site, timezone_id="Europe/Berlin", locale=locale) as page:
        page.goto("/competitions/pets/leaderboard")
        times = page.locator("time[data-local]")
        expect(times.first).to_be_visible()
        # In the competition's own zone the script changes nothing.
        plain = page.evaluate("fetch(location.href).then((answer) => answer.text())")
        served = re.findall(r"<time[^>]*>([^<]+)</time>", plain)
        assert served
        assert [text.strip() for text in times.all_inner_texts()] == served


def test_a_file_can_be_dropped_and_its_result_is_the_next_page(
    browser: Browser, own_site: Server, tmp_path: Path
) -> None:
    Reader(own_site).sign_up("ada").found("Owls")
    content = write(own_site, tmp_path, 0.9).read_text()
    with opened(browser, own_site) as page:
        sign_in(page, "ada")
        page.goto("/competitions/pets/submit")
        dropped = page.evaluate_handle(
            """text => { const data = new DataTransfer();
            data.items.add(new File([text], "dropped.csv", {type: "text/csv"})); return data; }""",
            content,
        )
        page.dispatch_event("[data-drop]", "drop", {"dataTransfer": dropped})
        expect(page.locator("[data-chosen]")).to_contain_text("dropped.csv")
        page.get_by_role("button", name="Submit", exact=True).click()
        page.wait_for_url("**/submissions/*")
        expect(page.get_by_role("heading", name="Improved")).to_be_visible()
        expect(page.get_by_role("link", name="dropped.csv")).to_be_visible()


def test_problems_of_a_file_appear_without_leaving_and_the_next_try_works(
    browser: Browser, own_site: Server, tmp_path: Path
) -> None:
    Reader(own_site).sign_up("ada").found("Owls")
    good, bad = write(own_site, tmp_path, 0.9), tmp_path / "bad.csv"
    bad.write_text("id,label\n1,0\n1,<img src=x onerror=alert(1)>\n")
    with opened(browser, own_site) as page:
        sign_in(page, "ada")
        page.goto("/competitions/pets/submit")
        page.set_input_files("#file", bad)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("Nothing was charged")
        expect(page.locator(".problems")).to_contain_text("line 3")
        expect(page.locator("#outcome")).to_be_focused()
        page.set_input_files("#file", good)
        page.get_by_role("button", name="Submit", exact=True).click()
        page.wait_for_url("**/submissions/*")


def test_everything_works_without_script(browser: Browser, own_site: Server, tmp_path: Path) -> None:
    with opened(browser, own_site, java_script_enabled=False, viewport=PHONE) as page:
        page.goto("/sign-up")
        page.get_by_label("Name").fill("bea")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        expect(page.get_by_role("link", name="bea")).to_be_visible()
        page.goto("/competitions/pets/team")
        page.get_by_label("Team name").fill("Larks")
        page.get_by_role("button", name="Create team").click()
        expect(page.get_by_role("heading", name="Larks", level=1)).to_be_visible()
        page.goto("/competitions/pets/submit")
        page.set_input_files("#file", write(own_site, tmp_path, 0.9))
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_role("heading", name="Improved")).to_be_visible()
        page.get_by_role("link", name="Leaderboard").first.click()
        expect(page.get_by_role("rowheader", name="Larks")).to_be_visible()
        page.get_by_role("button", name="Dark").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_board_renews_itself_when_somebody_improves(browser: Browser, own_site: Server, tmp_path: Path) -> None:
    with opened(browser, own_site) as page:
        page.clock.install()
        page.goto("/competitions/pets/leaderboard")
        expect(page.get_by_text("Nobody is on the board yet.")).to_be_visible()
        Reader(own_site).sign_up("ada").found("Owls").submit(write(own_site, tmp_path, 0.9).read_bytes())
        page.clock.fast_forward(16_000)
        expect(page.get_by_role("rowheader", name="Owls")).to_be_visible()


def test_the_chosen_colours_win_over_those_of_the_system(browser: Browser, site: Server) -> None:
    with opened(browser, site, color_scheme="light") as page:
        page.goto("/")
        body = page.locator("body")
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("button", name="Dark").click()
        expect(body).not_to_have_css("background-color", light)
        page.get_by_role("button", name="Auto").click()
        expect(body).to_have_css("background-color", light)


def test_the_keyboard_reaches_the_content_first(browser: Browser, site: Server) -> None:
    with opened(browser, site) as page:
        page.goto("/competitions/pets/leaderboard")
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to content")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.wait_for_url("**#main")
        page.locator("#q").focus()
        outline = page.locator("#q").evaluate("field => getComputedStyle(field).outlineStyle")
        assert outline == "solid"


def test_a_table_keeps_its_meaning_on_a_phone(browser: Browser, site: Server) -> None:
    with opened(browser, site, viewport=PHONE) as page:
        page.goto("/competitions/pets/leaderboard")
        board = page.get_by_role("table", name="Leaderboard of Pets")
        expect(board.get_by_role("row")).to_have_count(5)
        expect(board.get_by_role("rowheader", name="Foxes")).to_be_visible()


@pytest.mark.parametrize(("path", "shown"), [("embed", 1), ("leaderboard", 0)])
def test_only_the_embedded_board_can_be_framed(browser: Browser, site: Server, path: str, shown: int) -> None:
    frame = f"<iframe src='{site.url}/competitions/pets/{path}' width=800 height=600></iframe>"

    def host_page(route: Route) -> None:
        route.fulfill(content_type="text/html", body=frame)

    # Not `opened`: that the browser refuses to frame a page is what is wanted here, and it says so.
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.route(f"{site.url}/host", host_page)
    with page.expect_response(f"{site.url}/competitions/pets/{path}"):
        page.goto(f"{site.url}/host")
    expect(page.frame_locator("iframe").get_by_role("rowheader", name="Foxes")).to_have_count(shown)
    page.close()
