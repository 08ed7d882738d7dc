"""The pages that describe a competition: overview, data, rules, mechanism."""
