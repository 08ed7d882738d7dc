"""What has become of a team, in a word for people."""

from ladderboard.core.words import Translatable, translatable

STATUSES: dict[str, Translatable] = {
    "active": translatable("active"),
    "withdrawn": translatable("withdrawn"),
    "disqualified": translatable("disqualified"),
    "merged": translatable("merged"),
}
