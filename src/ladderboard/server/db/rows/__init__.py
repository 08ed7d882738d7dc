"""The rows that several features read or write, by table; what one feature alone needs is in its `sql`."""
