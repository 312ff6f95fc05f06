#pragma once

/// Find the eigenvectors of a symmetric matrix by Jacobi's method.
/// @param[in,out] a  the matrix; its diagonal holds the eigenvalues afterwards
/// @param[out]    v  the eigenvector of a[i][i] in column i, of length 1
void sac_eigen(double a[3][3], double v[3][3]);

/// The eigenvector of the largest eigenvalue, with its largest component positive; of equal ones z comes before x, and
/// x before y. It is what sac_cloud_axis gives.
/// @param covariance  spent
void sac_major_axis(float axis[3], double covariance[3][3]);
