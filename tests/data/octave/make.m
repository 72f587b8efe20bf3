% octave-cli --quiet make.m   (the files here are of Octave 7.3)
X1 = [1.5 -2 0; 3 4.25 0; 0 0 1e-3; 7 8 9];
X2 = sparse([1 0; 0 2; 3 0; 0 4]);
Y = [1; 2; 2; 1];
X = {X1, X2};
gt = int32(Y);
save("-v6", "v6.mat", "X1", "X2", "Y");
save("-v7", "v7.mat", "X1", "X2", "Y");
save("-v7", "cell.mat", "X", "gt");
save("-hdf5", "own-hdf5.mat", "X1");
save("-text", "own-text.mat", "X1");
save("-binary", "own-binary.mat", "X1");
dlmwrite("plain.csv", X1);
