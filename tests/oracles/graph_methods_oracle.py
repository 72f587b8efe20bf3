"""The four sample-graph methods with dense matrices, one row at a time, and complete eigendecompositions."""

import numpy as np

EPS = np.finfo(float).eps


def squared_distances(x):
    """(n, n) by subtracting rows."""
    return np.array([((x - row) ** 2).sum(axis=1) for row in x])


def z_scores(x):
    """Every row to mean 0 and standard deviation 1; a constant row to zeros."""
    out = np.zeros_like(x, dtype=float)
    for i, row in enumerate(x):
        if row.std() > 0:
            out[i] = (row - row.mean()) / row.std(ddof=1)
    return out


def sorted_neighbors(d, k):
    """Positions 2..k+2 of every row's stable sort."""
    return [sorted(range(len(row)), key=lambda j, row=row: (row[j], j))[1 : k + 2] for row in d]


def pkn(x, k):
    """PKN graph (n, n), not symmetric; a row whose neighbors are equally far stays zero."""
    d = squared_distances(x)
    W = np.zeros_like(d)
    for i, near in enumerate(sorted_neighbors(d, k)):
        last = d[i, near[k]]
        denominator = k * last - sum(d[i, j] for j in near[:k])
        if denominator > EPS:
            for j in near[:k]:
                W[i, j] = (last - d[i, j]) / denominator
    return W


def laplacian(A):
    B = (A + A.T) / 2
    return np.diag(B.sum(axis=1)) - B


def bottom(L, count):
    """Smallest eigenvalues and eigenvectors."""
    values, vectors = np.linalg.eigh((L + L.T) / 2)
    return values[:count], vectors[:, :count]


def simplex(z):
    """Projection by sorting."""
    descending = sorted(z, reverse=True)
    for size in range(len(z), 0, -1):
        t = (sum(descending[:size]) - 1) / size
        if descending[size - 1] > t:
            return np.maximum(np.asarray(z) - t, 0)
    raise AssertionError("the largest entry is always above its threshold")


def component_labels(A):
    """Components numbered by their first row, by walking along the edges."""
    linked = (A != 0) | (A.T != 0)
    labels = np.full(len(A), -1)
    for start in range(len(A)):
        if labels[start] >= 0:
            continue
        number, front = labels.max() + 1, [start]
        while front:
            i = front.pop()
            if labels[i] < 0:
                labels[i] = number
                front.extend(np.flatnonzero(linked[i] & (labels < 0)))
    return labels


def normalized(W):
    """D^(-1/2) W D^(-1/2), zero for vertices without edges."""
    degree = W.sum(axis=1)
    root = np.array([1 / np.sqrt(value) if value > 0 else 0.0 for value in degree])
    return root[:, None] * W * root


def rank_constrained(first, c, update, strength, max_iter, tol):
    """Update, decompose, double or halve; the last graph and the sums of the c smallest eigenvalues."""
    values, F = bottom(laplacian(first), c + 1)
    sums, F, graph = [values[:c].sum()], F[:, :c], first
    for _ in range(max_iter):
        graph = update(F, strength)
        values, vectors = bottom(laplacian(graph), c + 1)
        sums.append(values[:c].sum())
        if sums[-1] > tol:
            strength, F = strength * 2, vectors[:, :c]
        elif values.sum() < tol:
            strength /= 2
        else:
            break
    return graph, sums


def gmc(views, c, k=15, lam=1.0, max_iter=20, tol=1e-10):
    """Labels and the history of the sum of the c smallest eigenvalues."""
    n, V = len(views[0]), len(views)
    distances = [squared_distances(z_scores(x)) for x in views]
    near = [sorted_neighbors(d, k) for d in distances]
    U = sum(pkn(z_scores(x), k) for x in views)
    state = {"U": U / U.sum(axis=1, keepdims=True), "w": np.full(V, 1 / V)}

    def update(F, strength):
        S = np.zeros((V, n, n))
        for v in range(V):
            for i in range(n):
                d, u = distances[v][i, near[v][i]], state["U"][i, near[v][i]]
                w = state["w"][v]
                top = d[k] - d + 2 * w * (u - u[k])
                S[v, i, near[v][i]] = np.maximum(
                    top / (k * d[k] - d[:k].sum() + 2 * w * (u[:k].sum() - k * u[k]) + EPS), 0
                )
        state["w"] = np.array([0.5 / np.linalg.norm(state["U"] - S[v]) for v in range(V)])
        D, U = squared_distances(F), np.zeros((n, n))
        for i in range(n):
            support = np.flatnonzero(S[:, i].sum(axis=0) > 0)
            z = sum(S[v, i, support] - strength / (2 * V * state["w"][v]) * D[i, support] for v in range(V)) / V
            U[i, support] = simplex(z)
        state["U"] = U
        return U

    graph, sums = rank_constrained(state["U"], c, update, lam, max_iter, tol)
    return component_labels(graph), sums


def amgl(views, c, k=5, max_iter=100, tol=1e-8):
    """Embedding, weights and objectives."""
    laplacians = []
    for x in views:
        W = pkn(x, k)
        laplacians.append(np.eye(len(x)) - normalized((W + W.T) / 2))
    alpha, objective = np.full(len(views), 1 / len(views)), []
    for iteration in range(max_iter):
        _, F = bottom(sum(a * L for a, L in zip(alpha, laplacians, strict=True)), c)
        roots = np.array([np.sqrt(np.trace(F.T @ L @ F)) for L in laplacians])
        alpha = 1 / (2 * roots)
        objective.append(roots.sum())
        if iteration >= 2 and (objective[-2] - objective[-1]) / objective[-2] < tol:
            break
    return F, alpha, objective


def smsc_graph(x, k=10):
    W = pkn(z_scores(x), k)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return normalized(W)


def smsc(views, first, k=10, max_iter=60, tol=1e-8):
    """Y and the sums of squares, from the given first embeddings (n, c, V)."""
    graphs = [smsc_graph(x, k) for x in views]
    V = len(views)
    p, R, objective = np.ones(V), [first[:, :, v] for v in range(V)], []
    for _ in range(max_iter):
        Y = np.maximum(sum(p[v] / p.sum() * graphs[v] @ R[v] for v in range(V)) / V, 0)
        for v in range(V):
            left, _, right = np.linalg.svd(graphs[v].T @ Y, full_matrices=False)
            R[v] = left @ right
        norms = np.array([np.linalg.norm(graphs[v] - Y @ R[v].T) for v in range(V)])
        p = 1 / norms
        objective.append((norms**2).sum())
        if len(objective) > 1 and abs(objective[-2] - objective[-1]) / objective[-2] < tol:
            break
    return Y, objective


def mvgl(views, c, k=15, local=False, max_iter=30, data_distances=False):
    """Labels and objectives."""
    graphs = [_mvgl_view(x, c, k, local, data_distances) for x in views]
    V, n = len(graphs), len(graphs[0])
    blend, previous, objective = sum(graphs) / V, 1.0, [10.0]
    while abs(objective[-1] - previous) / previous > 1e-3 and len(objective) <= max_iter and objective[-1] > 1e-20:
        A = _mvgl_global(blend, c, local)
        blend = np.zeros((n, n))
        for j in range(n):
            Z = np.array([A[:, j] - S[:, j] for S in graphs]).T
            C = Z.T @ Z
            w = np.linalg.solve(C + EPS * np.trace(C) * np.eye(V), np.ones(V))
            blend[:, j] = sum(weight * S[:, j] for weight, S in zip(w / w.sum(), graphs, strict=True))
        previous = objective[-1]
        objective.append(np.linalg.norm(A - blend) ** 2)
    return component_labels(A), objective[1:]


def _mvgl_view(x, c, k, local, data_distances):
    d = squared_distances(x)
    near = sorted_neighbors(d, k)
    gamma = np.array([(k * d[i, near[i][k]] - d[i, near[i][:k]].sum()) / 2 for i in range(len(x))])

    def update(F, strength):
        D, A = squared_distances(F), np.zeros((len(x), len(x)))
        for i in range(len(x)):
            support = near[i][:k] if local else list(range(len(x)))
            if data_distances:
                A[i, support] = simplex(-(d[i, support] + strength * D[i, support]) / (2 * gamma[i]))
            else:
                A[i, support] = simplex(-strength * D[i, support] / 2)
        return (A + A.T) / 2

    start = gamma.mean() if data_distances else 1.0
    return rank_constrained(pkn(x, k), c, update, start, 30, 1e-11)[0]


def _mvgl_global(blend, c, local):
    target = blend - np.diag(np.diag(blend))

    def update(F, strength):
        D, A = squared_distances(F), np.zeros_like(target)
        for i in range(len(target)):
            support = np.flatnonzero(target[i] > 0) if local else np.arange(len(target))
            if len(support):
                A[i, support] = simplex(target[i, support] - strength / 2 * D[i, support])
        return A

    if bottom(laplacian(target), c)[0].sum() < 1e-10:
        return target
    return rank_constrained(target, c, update, 1.0, 30, 1e-10)[0]
