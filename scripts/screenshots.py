"""The pictures in README and docs, taken of the demo by the system's Chromium: ``make screenshots``."""

import re
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PASSWORD = "ladderboard"
PETS = "/competitions/odd-or-even"
DESKTOP, PHONE = (1100, 800), (390, 780)
MOST_BYTES = 150_000
COLOURS = 96


def main() -> None:
    """Make the demo in a temporary folder, look at it, end it."""
    if CHROMIUM is None:
        sys.exit("there is no Chromium here; on Debian: apt-get install -y chromium")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("ladderboard")), "demo", "--no-browser", "--port", "0"]
        demo = subprocess.Popen([*command, "--data", f"{folder}/demo"], stdout=subprocess.PIPE, text=True)
        try:
            take_all(_address(demo))
        finally:
            demo.terminate()
            demo.wait(timeout=30)
    for image in sorted(IMAGES.glob("*.png")):
        print(f"{image.stat().st_size:>8,} bytes  {image.name}")
        if image.stat().st_size > MOST_BYTES:
            sys.exit(f"{image} is larger than {MOST_BYTES:,} bytes")


def take_all(url: str) -> None:
    """Every picture, in the order in which a competition goes."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        visitor = _page(browser, url, DESKTOP, "light")
        take(visitor, f"{PETS}/leaderboard", "board", selector=".masthead, .board")
        take(visitor, "/demo", "demo", height=1330)
        phone = _page(browser, url, PHONE, "dark")
        take(phone, f"{PETS}/leaderboard", "board-phone-dark", height=1250)
        pat = _page(browser, url, DESKTOP, "light", sign_in_as="pat")
        take(pat, f"{PETS}/submissions", "my-submissions", height=1050)
        olivia = _page(browser, url, DESKTOP, "light", sign_in_as="olivia")
        take(olivia, f"{PETS}/organise", "organiser", height=1330)
        olivia.goto("/demo")
        olivia.get_by_role("button", name="Finish the competition").click()
        take(visitor, f"{PETS}/results", "results", height=1750)
        browser.close()


def take(page: Page, path: str, name: str, *, height: int | None = None, selector: str | None = None) -> None:
    """One picture: the page from its top to ``height``, or to the end of the last thing that ``selector`` finds."""
    page.goto(path)
    if selector is not None:
        box = page.locator(selector).last.bounding_box()
        assert box is not None
        height = int(box["y"] + box["height"] + 24)
    assert height is not None
    width = page.viewport_size["width"] if page.viewport_size else DESKTOP[0]
    whole = page.evaluate("document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, whole)}
    taken = page.screenshot(full_page=True, clip=clip)  # type: ignore[arg-type]  # a dict of such keys
    # Pages have few colours: a palette shows them as well, in a third of the bytes.
    Image.open(BytesIO(taken)).convert("RGB").quantize(COLOURS).save(IMAGES / f"{name}.png", optimize=True)


def _page(browser: Browser, url: str, size: tuple[int, int], theme: str, *, sign_in_as: str = "") -> Page:
    width, height = size
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        locale="en-GB",
        timezone_id="UTC",
    )
    page = context.new_page()
    if sign_in_as:
        page.goto("/sign-in")
        page.get_by_label("Name").fill(sign_in_as)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/")
    return page


def _address(demo: "subprocess.Popen[str]") -> str:
    assert demo.stdout is not None
    for line in demo.stdout:
        print(line, end="")
        found = re.search(r"(http://\S+)/demo", line)
        if found is not None:
            return found[1]
    sys.exit("the demo did not start")


if __name__ == "__main__":
    main()
