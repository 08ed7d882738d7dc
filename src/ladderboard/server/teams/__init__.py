"""Teams: members, invitations, merging, extra attempts."""
