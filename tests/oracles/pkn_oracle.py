"""Probabilistic k-neighbor weights: the formula to the letter, and the quadratic program behind it."""

import numpy as np

from oracles.simplex_oracle import project_by_bisection


def weights_by_formula(distances, k):
    """w_j of one row over all its candidates, in the order of the candidates."""
    order = sorted(range(len(distances)), key=lambda j: (distances[j], j))
    d = [float(distances[j]) for j in order]
    denominator = k * d[k] - sum(d[:k])
    w = np.zeros(len(d))
    for position in range(k):
        w[order[position]] = (d[k] - d[position]) / denominator
    return w


def weights_by_program(distances, k):
    """argmin_w sum_j d_j w_j + gamma ||w||² on the simplex, gamma the one that leaves k weights.

    Completing the square, it is the projection of -d / (2 gamma).
    """
    d = np.asarray(distances, dtype=np.float64)
    ascending = np.sort(d)
    gamma = (k * ascending[k] - ascending[:k].sum()) / 2
    return project_by_bisection(-(d - ascending[0]) / (2 * gamma))


def anchor_graph(distances, k):
    """(n, m) weights of every row on its k nearest anchors."""
    return np.array([weights_by_formula(row, k) for row in distances])


def sample_graph(distances, k):
    """(n, n) weights on other samples: the first of every sorted row is left out."""
    graph = np.zeros((len(distances), len(distances)))
    for i, row in enumerate(distances):
        first = min(range(len(row)), key=lambda j: (row[j], j))
        others = [j for j in range(len(row)) if j != first]
        graph[i, others] = weights_by_formula([row[j] for j in others], k)
    return graph
