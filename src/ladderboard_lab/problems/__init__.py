"""Problems: data whose labels the arena knows, so that it can tell luck from skill."""
