"""Recipes for tests: fits that show the same with less work."""

from dataclasses import replace

from manyview import Recipe

ONE_DRAW = Recipe(n_draws=1)  # as beyond 5,000 rows
QUICK = Recipe(n_draws=1, embeddings=((1.0, 1), (2.0, 2)), n_init=1, n_subsamples=3)  # where quality does not matter
SAMPLED = Recipe(n_draws=2, embeddings=((1.0, 1), (2.0, 2)), n_init=1, n_subsamples=3, n_sampled_rows=200)
MANY = replace(SAMPLED, max_drawn_rows=200)  # as beyond 5,000 rows: candidates from graphs of the sampled rows
