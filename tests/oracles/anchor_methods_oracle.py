"""LMVSC, SFMC, FMCNOF and CSMSC written out literally: dense matrices, a loop for every row, no shortcuts."""

import numpy as np

from oracles.qp_oracle import best_on_simplex


def simplex(z):
    for count in range(len(z), 0, -1):
        t = (np.sort(z)[::-1][:count].sum() - 1) / count
        if np.sort(z)[::-1][count - 1] > t:
            return np.maximum(z - t, 0)
    raise AssertionError


def on_support(z, support):
    result = np.zeros(len(z))
    result[support] = simplex(z[support])
    return result


def lmvsc_embedding(views, anchors, alpha, rank):
    mixtures = [
        np.array([best_on_simplex(2 * (A @ A.T + alpha * np.eye(len(A))), 2 * A @ x)[0] for x in view])
        for view, A in zip(views, anchors, strict=True)
    ]
    U, s, _ = np.linalg.svd(np.hstack(mixtures) / np.sqrt(len(views)), full_matrices=False)
    return U[:, :rank], s[:rank]


def bipartite_components(P):
    n, m = P.shape
    labels = np.arange(n + m)
    changed = True
    while changed:
        changed = False
        for i, j in zip(*np.nonzero(P), strict=True):
            low = min(labels[i], labels[n + j])
            changed |= labels[i] != low or labels[n + j] != low
            labels[i] = labels[n + j] = low
    return labels[:n], labels[n:]


def inverse_root(degrees):
    """With rows alone on the simplex an anchor can lose all its edges; it then counts for nothing."""
    return np.array([1 / np.sqrt(d) if d > 0 else 0 for d in degrees])


def cocluster(A, c, T, columns_too=True):
    n, m = A.shape
    lam = 0.1

    def vectors(P):
        dr, dc = P.sum(axis=1), P.sum(axis=0)
        P1 = np.diag(inverse_root(dr)) @ P @ np.diag(inverse_root(dc))
        U, s, Vt = np.linalg.svd(P1, full_matrices=False)
        half = np.sqrt(2) / 2
        return U[:, :c] * half, Vt[:c].T * half, dr, dc, (s[:c] ** 2).sum(), (s[: c + 1] ** 2).sum()

    U, V, *_ = vectors(A)
    left, right = np.ones(n), np.full(m, 10.0)
    for _ in range(T):
        S, Sm = np.zeros((n, m)), np.zeros((n, m))
        dist = np.array([[np.sum((left[i] * U[i] - right[j] * V[j]) ** 2) for j in range(m)] for i in range(n)])
        for i in range(n):
            S[i] = on_support(A[i] - lam / 2 * dist[i], A[i] > 0)
        for j in range(m):
            Sm[:, j] = on_support(A[:, j] - lam / 2 * dist[:, j], A[:, j] > 0)
        P = (S + Sm) / 2 if columns_too else S
        new_U, new_V, dr, dc, fewer, more = vectors(P)
        if fewer < c - 1e-7:
            lam *= 2
            U, V, left, right = new_U, new_V, inverse_root(dr), inverse_root(dc)
        elif more > c + 1 - 1e-7:
            lam /= 2
        else:
            break
    return P


def pkn(x, anchors, k):
    B = np.zeros((len(x), len(anchors)))
    for i, row in enumerate(x):
        d = np.array([np.sum((row - a) ** 2) for a in anchors])
        order = np.argsort(d, kind="stable")
        near, last = d[order[:k]], d[order[k]]
        B[i, order[:k]] = (last - near) / (k * last - near.sum() + np.finfo(float).eps)
    return B


def sfmc(views, rows, c, k, n_iter=10):
    """P, the view weights before every change and at the end."""
    B = [pkn(view, view[rows], k) for view in views]
    gram = np.array([[np.sum(a * b) for b in B] for a in B])
    alpha = np.full(len(B), 1 / len(B))
    history = [alpha]
    for _ in range(n_iter):
        P = cocluster(sum(a * b for a, b in zip(alpha, B, strict=True)), c, 50)
        alpha = best_on_simplex(2 * gram, 2 * np.array([np.sum(b * P) for b in B]))[0]
        history.append(alpha)
    return cocluster(sum(a * b for a, b in zip(alpha, B, strict=True)), c, 50), np.array(history)


def z_scored(view):
    deviation = view.std(axis=1, ddof=1, keepdims=True)
    return (view - view.mean(axis=1, keepdims=True)) / np.where(deviation == 0, 1, deviation)


def fmcnof_graph(z, anchors, k, sigma=1000.0):
    B = np.zeros((len(z), len(anchors)))
    for i, row in enumerate(z):
        E = np.exp([-np.linalg.norm(row - a) / (2 * sigma**2) for a in anchors])
        smallest = np.sort(E)[:k]
        E[smallest[-1] < E] = 1e-7
        B[i] = E / smallest.sum()
    return B


def fmcnof(views, anchors, G, k, n_iter=30):
    """F, view weights and objectives of the released updates, with exact view weights for its b."""
    B = [fmcnof_graph(z_scored(view), A, k) for view, A in zip(views, anchors, strict=True)]
    gram = np.array([[np.sum(a * b) for b in B] for a in B])
    alpha = np.full(len(B), 1 / len(B))
    Z = sum(a * b for a, b in zip(alpha, B, strict=True))
    F = Z @ G
    F = F / F.sum(axis=1, keepdims=True)
    objective = []
    for _ in range(n_iter):
        U, _, Wt = np.linalg.svd(F.T @ Z, full_matrices=False)
        G = Wt.T @ U.T
        F = np.maximum(Z @ G, 0)
        alpha = best_on_simplex(2 * gram, 2 * np.array([np.sum(b * (F @ G.T)) for b in B]))[0]
        Z = sum(a * b for a, b in zip(alpha, B, strict=True))
        objective.append(np.sum((Z - F @ G.T) ** 2))
    return F, alpha, np.array(objective)


def csmsc(views, lambda_c, lambda_d, n_iter, mu=1e-6):
    """C, all D and the residuals after n_iter iterations, on N x N matrices; views (N, d)."""
    X = [view.T / np.linalg.norm(view, axis=1) for view in views]
    n = X[0].shape[1]
    C = Y2 = np.zeros((n, n))
    E, W, Y1, Y3 = ([np.zeros_like(x) for x in X] for _ in range(4))
    D = [np.zeros((n, n)) for _ in X]
    residuals, passed = [], False
    for _ in range(n_iter):
        for v, x in enumerate(X):
            right = mu * x.T @ (x + Y1[v] / mu - x @ C - E[v])
            D[v] = np.linalg.solve(mu * x.T @ x + 2 * lambda_d * np.eye(n), right)
            E[v] = (x + Y1[v] / mu - x @ C - x @ D[v] + W[v] - Y3[v] / mu) / 2
            columns = E[v] + Y3[v] / mu
            length = np.linalg.norm(columns, axis=0)
            W[v] = columns * np.maximum(0, 1 - 1 / mu / length)
            passed |= bool(np.any(W[v]))
        U, s, Vt = np.linalg.svd(C + Y2 / mu)
        K = U @ np.diag(np.maximum(s - lambda_c / mu, 0)) @ Vt
        left = sum(x.T @ x for x in X) + np.eye(n)
        right = sum(x.T @ (x + Y1[v] / mu - x @ D[v] - E[v]) for v, x in enumerate(X)) + K - Y2 / mu
        C = np.linalg.solve(left, right)
        for v, x in enumerate(X):
            Y1[v] = Y1[v] + mu * (x - x @ (C + D[v]) - E[v])
            Y3[v] = Y3[v] + mu * (E[v] - W[v])
        Y2 = Y2 + mu * (C - K)
        mu = min(1.1 * mu, 1e6)
        residuals.append(sum(np.sum((x - x @ (C + D[v])) ** 2) for v, x in enumerate(X)))
    return C, D, np.array(residuals), passed
