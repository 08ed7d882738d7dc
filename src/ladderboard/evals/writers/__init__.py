"""Results in the formats in which they are shared: Every Eval Ever, and the Hugging Face Hub's ``.eval_results``."""
