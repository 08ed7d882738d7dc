"""A real browser, the system's Chromium, against a real server on loopback."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from tests.web.pages.conftest import own_site, site
from tests.web.servers import PASSWORD, Server

__all__ = ["own_site", "site"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 120_000  # milliseconds; a machine that runs the other tests beside this one may be slow
PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}


def driver_starts() -> bool:
    """Whether the program that Playwright brings along finds the libraries it is linked against."""
    return (
        subprocess.run([compute_driver_executable()[0], "--version"], capture_output=True, check=False).returncode == 0
    )


# For a module, not for the session: while it runs, nothing else in this process can run an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module; each opens contexts of its own."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here; apt install chromium")
    if not driver_starts():
        pytest.skip("the driver of the browser does not start here; apt install libatomic1")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE
        )
        yield started
        started.close()


@contextmanager
def opened(browser: Browser, server: Server, **options: Any) -> Iterator[Page]:
    """A page of a fresh browser profile. Fails on any script error, refused content, or request to another host."""
    context = browser.new_context(base_url=server.url, **{"viewport": DESKTOP, **options})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    wrong: list[str] = []

    def refuse(dialog: Dialog) -> None:
        wrong.append(f"a script ran: {dialog.message}")
        dialog.dismiss()

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("request", lambda asked: None if asked.url.startswith((server.url, "data:")) else wrong.append(asked.url))
    page.on("dialog", refuse)
    try:
        yield page
    finally:
        context.close()
    assert not wrong, wrong


def sign_in(page: Page, name: str) -> None:
    """Sign in as somebody who has an account."""
    page.goto("/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
