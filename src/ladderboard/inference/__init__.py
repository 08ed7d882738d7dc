"""Inference: what a board's numbers say about the systems behind them."""
