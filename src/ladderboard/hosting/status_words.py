"""What has become of a team, in a word for people."""

from ladderboard.words import Said, said

STATUSES: dict[str, Said] = {
    "active": said("active"),
    "withdrawn": said("withdrawn"),
    "disqualified": said("disqualified"),
    "merged": said("merged"),
}
