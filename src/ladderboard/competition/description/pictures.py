"""The pictures of a description: files under images/ of the folder, of types that hold no script."""

from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

IMAGES = "images"
LARGEST_BYTES = 10 << 20
TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
BEGINNINGS = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


class PictureError(ValueError):
    """A picture that is not shown; the message says why and what to do."""


def find_picture(folder: Path, address: str) -> Path:
    """The file of a picture by its address in the description, relative to the folder; raises `PictureError`.

    Nothing leads out of images/: no "..", no link to elsewhere, no hidden file.
    """
    parts = PurePosixPath(unquote(_path(address))).parts
    if not parts or parts[0] != IMAGES or any(part.startswith(".") for part in parts):
        raise PictureError(f"pictures must be in {IMAGES}/ of the folder; put it there, and write {IMAGES}/NAME.png")
    return open_picture(folder, "/".join(parts[1:]))


def open_picture(folder: Path, name: str) -> Path:
    """The file of that name under images/, if it is a picture that may be shown; raises `PictureError`."""
    root = folder / IMAGES
    path = root / name
    if "\0" in name or PurePosixPath(name).is_absolute() or any(part.startswith(".") for part in name.split("/")):
        raise PictureError(f"{name!r} is not the name of a picture in {IMAGES}/")
    if not path.is_file():
        raise PictureError(f"there is no file {IMAGES}/{name}")
    if not path.resolve().is_relative_to(root.resolve()) or not root.resolve().is_relative_to(folder.resolve()):
        raise PictureError(f"{IMAGES}/{name} is a link that leads out of {IMAGES}/; copy the file there")
    kind = TYPES.get(path.suffix.lower())
    if kind is None:
        raise PictureError(f"{IMAGES}/{name} is not shown: save it as PNG, JPEG, GIF or WebP (SVG may hold a script)")
    _refuse_other_content(path, kind, name)
    return path


def _refuse_other_content(path: Path, kind: str, name: str) -> None:
    if path.stat().st_size > LARGEST_BYTES:
        raise PictureError(f"{IMAGES}/{name} is larger than {LARGEST_BYTES >> 20} MB; make it smaller")
    with path.open("rb") as file:
        if not file.read(16).startswith(BEGINNINGS[kind]):
            raise PictureError(f"{IMAGES}/{name} is not a picture of the type that its name says; save it again")


def is_local(address: str) -> bool:
    """Whether a picture's address names a file of the folder, and not a place on this or another site."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc and not parts.path.startswith("/") and bool(parts.path)


def _path(address: str) -> str:
    return urlsplit(address).path.removeprefix("./")
