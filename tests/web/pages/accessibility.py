"""What a page must have so that everybody can read it: checked on the HTML that the server sends."""

from tests.web.pages.tree import Node, tree_of

NAMED_INPUTS = ("input", "select", "textarea")
NOT_INTERACTIVE = ("hidden", "submit", "button")


def assert_accessible(html: str, *, is_embedded: bool = False) -> Node:
    """Fail with the first thing that is wrong; returns the page's tree."""
    page = tree_of(html)
    _language_and_title(page)
    _landmarks(page, is_embedded=is_embedded)
    _headings(page)
    _ids(page)
    _inputs(page)
    _buttons_and_links(page)
    _tables(page)
    _pictures(page)
    _policy(page)
    return page


def _language_and_title(page: Node) -> None:
    assert page.one("html").attributes.get("lang"), "the page says no language"
    assert page.one("head").one("title").text.strip(" ·"), "the page has no title"
    assert page.all("meta", name="viewport"), "a phone would show it as wide as a desktop"


def _landmarks(page: Node, *, is_embedded: bool) -> None:
    main = page.one("main")
    assert not [node for node in main.ancestors() if node.tag in ("header", "footer", "nav")]
    for nav in page.all("nav"):
        assert nav.attributes.get("aria-label"), "a navigation without a name"
    if not is_embedded:
        assert page.all("header"), "no header"
        assert page.all("footer"), "no footer"
        skip = page.all("a", class_="skip")
        assert skip, "no way to skip the navigation"
        assert page.one(id=skip[0].attributes["href"].removeprefix("#")) is main


def _headings(page: Node) -> None:
    levels = [int(node.tag[1]) for node in page.walk() if node.tag in ("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels.count(1) == 1, f"{levels.count(1)} headings of the first level"
    level = 0
    for here in levels:
        assert here <= level + 1 or level == 0, f"a heading of level {here} follows one of level {level}"
        level = here


def _ids(page: Node) -> None:
    ids = [node.attributes["id"] for node in page.walk() if "id" in node.attributes]
    twice = {one for one in ids if ids.count(one) > 1}
    assert not twice, f"ids that occur twice: {twice}"
    for node in page.walk():
        for name in ("aria-labelledby", "aria-describedby", "for"):
            for one in node.attributes.get(name, "").split():
                assert one in ids, f"<{node.tag} {name}={one}> points to nothing"


def _inputs(page: Node) -> None:
    labelled = {label.attributes["for"] for label in page.all("label") if "for" in label.attributes}
    for node in page.walk():
        if node.tag not in NAMED_INPUTS or node.attributes.get("type") in NOT_INTERACTIVE:
            continue
        wrapped = any(above.tag == "label" and above.text for above in node.ancestors())
        named = node.attributes.get("id") in labelled or wrapped or node.attributes.get("aria-label")
        assert named, f"<{node.tag} name={node.attributes.get('name')}> has no label"
    for form in page.all("form"):
        if form.attributes.get("method", "get").lower() == "post":
            assert form.all("input", name="csrf"), f"the form to {form.attributes.get('action')} has no token"
            assert form.one("input", name="csrf").attributes["value"], "an empty token"


def _buttons_and_links(page: Node) -> None:
    for node in page.walk():
        if node.tag in ("button", "a"):
            assert node.text or node.attributes.get("aria-label"), f"<{node.tag}> {node.attributes} says nothing"


def _tables(page: Node) -> None:
    for table in page.all("table"):
        heads = table.all("th")
        assert heads, "a table without headers"
        for head in heads:
            assert head.attributes.get("scope") in ("col", "row"), f"the header {head.text!r} has no scope"


def _pictures(page: Node) -> None:
    for image in page.all("img"):
        assert "alt" in image.attributes, "a picture without words"
    for svg in page.all("svg"):
        hidden = svg.attributes.get("aria-hidden") == "true" or any(
            node.attributes.get("aria-hidden") == "true" for node in svg.ancestors()
        )
        named = svg.attributes.get("aria-label") or svg.attributes.get("aria-labelledby")
        assert hidden or (svg.attributes.get("role") == "img" and named), "a drawing without words"


def _policy(page: Node) -> None:
    """What the Content-Security-Policy would refuse."""
    for node in page.walk():
        assert "style" not in node.attributes, f"<{node.tag}> has an inline style"
        handlers = [name for name in node.attributes if name.startswith("on")]
        assert not handlers, f"<{node.tag}> has {handlers}"
        assert node.tag != "style", "an inline style sheet"
        if node.tag == "script":
            assert node.attributes.get("src", "").startswith("/static/"), "an inline or foreign script"
