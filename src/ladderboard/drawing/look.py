"""The look that every page of ours shares: colours, letters, tables and charts, in light, dark and print."""

from pathlib import Path

LOOK = Path(__file__).with_name("look.css")
