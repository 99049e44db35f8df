"""Reports worded by a model: prompts, judged sentences, and what that takes."""
