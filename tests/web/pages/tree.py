"""HTML as a tree, as strict as we want our pages to be: every element is closed where it should be."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


@dataclass(eq=False)
class Node:
    """An element."""

    tag: str
    attributes: dict[str, str]
    parent: "Node | None" = None
    children: list["Node | str"] = field(default_factory=list)

    def all(self, tag: str = "", **wanted: str) -> list["Node"]:
        """The elements within, in order; ``class_`` is one of the classes."""
        return [node for node in self.walk() if (not tag or node.tag == tag) and node.has(**wanted)]

    def one(self, tag: str = "", **wanted: str) -> "Node":
        found = self.all(tag, **wanted)
        assert len(found) == 1, f"{len(found)} elements {tag} {wanted}"
        return found[0]

    def has(self, **wanted: str) -> bool:
        for name, value in wanted.items():
            key = name.rstrip("_").replace("_", "-")
            given = self.attributes.get(key)
            if given is None or (value not in given.split() if key == "class" else given != value):
                return False
        return True

    def walk(self) -> Iterator["Node"]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.walk()

    def ancestors(self) -> Iterator["Node"]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def text(self) -> str:
        """All text within, blanks joined."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()


def tree_of(html: str) -> Node:
    """The whole page; fails where tags do not match."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert parser.node is parser.root, f"<{parser.node.tag}> is never closed"
    return parser.root


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.node = Node("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        made = Node(tag, {name: value or "" for name, value in attrs}, self.node)
        self.node.children.append(made)
        if tag not in VOID:
            self.node = made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.node.tag == tag, f"</{tag}> closes <{self.node.tag}>"
        assert self.node.parent is not None
        self.node = self.node.parent

    def handle_data(self, data: str) -> None:
        self.node.children.append(data)
