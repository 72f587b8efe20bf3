"""Algorithm 1 of the Semi-NTF paper, typed off the page: dense tensors (N, m, V), full FFT, SVD of every slice."""

import numpy as np


def pkn_graph(x, anchors, k):
    d = np.array([[np.sum((row - anchor) ** 2) for anchor in anchors] for row in x])
    graph = np.zeros_like(d)
    for i, distances in enumerate(d):
        order = np.argsort(distances, kind="stable")
        near, last = distances[order[:k]], distances[order[k]]
        graph[i, order[:k]] = (last - near) / (k * last - near.sum())
    return graph


def das(x, n_anchors):
    if (x < 0).any():
        x = x - x.min(axis=0)
    theta = x.sum(axis=1)
    chosen = []
    for _ in range(n_anchors):
        theta = theta / theta.max()
        chosen.append(int(np.argmax(theta)))
        theta = theta * (1 - theta)
    return np.sort(chosen)


def gst(sigma, tau, p):
    limit = (2 * tau * (1 - p)) ** (1 / (2 - p)) + p * tau * (2 * tau * (1 - p)) ** ((p - 1) / (2 - p))
    result = np.zeros_like(sigma)
    for i, s in enumerate(sigma):
        if s > limit:
            t = s
            for _ in range(4):
                t = s - p * tau * t ** (p - 1)
            result[i] = t
    return result


def prox(Z, tau, p, axis):
    """Prox of (N, K, V): FFT along axis 2, slices N x K (the text), or along axis 0, slices K x V (the code)."""
    Y = Z if axis == "views" else np.transpose(Z, (1, 2, 0))
    F = np.fft.fft(Y, axis=2)
    for i in range(F.shape[2]):
        U, s, Vh = np.linalg.svd(F[:, :, i], full_matrices=False)
        F[:, :, i] = U @ np.diag(gst(s, tau, p)) @ Vh
    J = np.fft.ifft(F, axis=2).real
    return J if axis == "views" else np.transpose(J, (2, 0, 1))


def perturbed_start(Q, noise, V):
    """Qbar (N, K, V) of polar factors of Q (I + noise_f), f = 0 … V // 2; frequency V - f repeats f."""
    polar = []
    for E in noise:
        U, _, Vh = np.linalg.svd(Q @ (np.eye(Q.shape[1]) + E), full_matrices=False)
        polar.append(U @ Vh)
    return np.stack([polar[min(f, V - f)] for f in range(V)], axis=2)


def algorithm_1(S, K, *, lam, p, axis, n_iter, mu=1e-5, rho=1e-5, eta=1.6, Qbar=None):
    """S: (N, m, V), Qbar: (N, K, V). Returns H, labels, both residuals and the norm of J per iteration."""
    N, _, V = S.shape
    Sbar = np.fft.fft(S, axis=2)
    Qbar = np.stack([np.eye(N, K).astype(complex)] * V, axis=2) if Qbar is None else Qbar.astype(complex)
    H = J = Y1 = Y2 = np.zeros((N, K, V))
    residuals, norms = [], []
    for _ in range(n_iter):
        Hbar, Ybar = np.fft.fft(H, axis=2), np.fft.fft(Y1, axis=2)
        Qbar = Qbar.copy()
        for v in range(V):
            G = Sbar[:, :, v].conj().T @ Qbar[:, :, v]
            B = 2 * Sbar[:, :, v] @ G + mu * Hbar[:, :, v] + Ybar[:, :, v]
            U, _, Vh = np.linalg.svd(B, full_matrices=False)
            Qbar[:, :, v] = U @ Vh
        Q = np.fft.ifft(Qbar, axis=2).real
        H = np.maximum((mu * Q - Y1 + rho * J - Y2) / (mu + rho), 0)
        J = prox(H + Y2 / rho, lam / rho, p, axis)
        Y1 = Y1 + mu * (H - Q)
        Y2 = Y2 + rho * (H - J)
        mu, rho = eta * mu, eta * rho
        residuals.append((np.abs(H - Q).max(), np.abs(Q - J).max()))
        norms.append(np.linalg.norm(J))
    return H, H.mean(axis=2).argmax(axis=1), np.array(residuals), np.array(norms)
