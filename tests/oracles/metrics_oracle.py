"""Clustering scores written out literally, in plain Python: loops over all pairs, all ways to match, all samples."""

from fractions import Fraction
from itertools import combinations, permutations
from math import log


def pair_table(y_true, y_pred):
    """Numbers of pairs: (same class and cluster, same cluster only, same class only, neither)."""
    both = cluster_only = class_only = neither = 0
    for i, j in combinations(range(len(y_true)), 2):
        same_class, same_cluster = y_true[i] == y_true[j], y_pred[i] == y_pred[j]
        if same_class and same_cluster:
            both += 1
        elif same_cluster:
            cluster_only += 1
        elif same_class:
            class_only += 1
        else:
            neither += 1
    return both, cluster_only, class_only, neither


def precision_recall_f(y_true, y_pred):
    """Over pairs; every ratio needs at least one pair in its denominator."""
    both, cluster_only, class_only, _ = pair_table(y_true, y_pred)
    precision, recall = Fraction(both, both + cluster_only), Fraction(both, both + class_only)
    f_score = 2 * precision * recall / (precision + recall) if both else Fraction(0)
    return float(precision), float(recall), float(f_score)


def adjusted_rand(y_true, y_pred):
    """(index - expected index) / (largest index - expected index), exact until the last step."""
    both, cluster_only, class_only, neither = pair_table(y_true, y_pred)
    total = both + cluster_only + class_only + neither
    in_class, in_cluster = both + class_only, both + cluster_only
    expected = Fraction(in_class * in_cluster, total)
    return float((both - expected) / (Fraction(in_class + in_cluster, 2) - expected))


def best_agreement(y_true, y_pred):
    """Largest number of samples that a one-to-one renaming of clusters into classes can get right."""
    classes, clusters = list(set(y_true)), list(set(y_pred))
    # renaming into nothing stands for a cluster that is left over
    targets = classes + [object() for _ in range(len(clusters))]
    return max(
        sum(dict(zip(clusters, chosen, strict=True))[p] == t for t, p in zip(y_true, y_pred, strict=True))
        for chosen in permutations(targets[: max(len(classes), len(clusters))], len(clusters))
    )


def accuracy(y_true, y_pred):
    return best_agreement(y_true, y_pred) / len(y_true)


def purity(y_true, y_pred):
    right = 0
    for cluster in set(y_pred):
        members = [t for t, p in zip(y_true, y_pred, strict=True) if p == cluster]
        right += max(members.count(t) for t in members)
    return right / len(y_true)


def mutual_information(y_true, y_pred):
    """Σ over classes and clusters of P(t, p) log(P(t, p) / (P(t) P(p)))."""
    total = 0.0
    for t in set(y_true):
        for p in set(y_pred):
            joint = _share(lambda a, b, t=t, p=p: a == t and b == p, y_true, y_pred)
            if joint:
                marginals = _share(lambda a, _, t=t: a == t, y_true, y_pred) * _share(
                    lambda _, b, p=p: b == p, y_true, y_pred
                )
                total += float(joint) * log(joint / marginals)
    return total


def entropy(y):
    return -sum(y.count(label) / len(y) * log(y.count(label) / len(y)) for label in set(y))


def _share(condition, y_true, y_pred):
    return Fraction(sum(condition(t, p) for t, p in zip(y_true, y_pred, strict=True)), len(y_true))
