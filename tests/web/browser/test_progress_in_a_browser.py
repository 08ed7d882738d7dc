"""The lines of a long computation while the page still arrives: the last one is seen, and none once the result is."""

import socket
from threading import Event, Thread

from playwright.sync_api import Browser, Page, expect

from ladderboard.server.app.rendering import assets
from tests.web.browser.conftest import PATIENCE

STYLE = assets()["ladderboard.css"].content
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html><style>"
    + STYLE
    + b"</style>"
)
BEGUN = b'<section><h2>Preview</h2><div class="progress"><p>one</p><p>two</p><p id="last">three</p>\n'
REST = b'</div><p id="result">the board</p></section>'


def test_the_last_line_of_progress_is_seen_while_the_page_arrives(browser: Browser) -> None:
    is_seen = Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def send() -> None:
            client, _ = listening.accept()
            with client:
                client.recv(1 << 16)
                client.sendall(HEAD + BEGUN)
                is_seen.wait()
                client.sendall(REST)

        sender = Thread(target=send, daemon=True)
        sender.start()
        with browser.new_context() as context:
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            try:
                page.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/", wait_until="commit")
                page.locator("#last").wait_for(state="attached")
                while_it_arrives = list_seen(page)
            finally:
                is_seen.set()
            expect(page.locator("#result")).to_be_visible()
            sender.join()
            assert (while_it_arrives, list_seen(page)) == (["three"], ["the board"])


def list_seen(page: Page) -> list[str]:
    return [line.inner_text() for line in page.locator("p").all() if line.is_visible()]
