"""How well clusters agree with known classes: the seven scores of the literature, and the matching behind them."""

from .information import normalized_mutual_information
from .matching import accuracy, match_labels, purity
from .pairs import adjusted_rand_index, pair_f_score, pair_precision, pair_recall
from .scores import clustering_scores
from .table import Contingency, contingency

__all__ = [
    "Contingency",
    "accuracy",
    "adjusted_rand_index",
    "clustering_scores",
    "contingency",
    "match_labels",
    "normalized_mutual_information",
    "pair_f_score",
    "pair_precision",
    "pair_recall",
    "purity",
]
