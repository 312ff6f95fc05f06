#include "theorems.h"

#include "papers.h"

const theory_theorem theory_theorems[] = {
    {"iap1-mse", "IAP v1, Eq. 10, 13, 14", "Mean squared error of trig, exp and hybrid features", theory_iap1_mse},
    {"iap1-unbiased", "IAP v1, Theorem 4.1", "Hybrid features estimate the softmax kernel without bias",
     theory_iap1_unbiased},
    {"iap1-ends", "IAP v1, Theorem 4.1", "The hybrid error vanishes for angles 0 and pi", theory_iap1_ends},
    {"iap1-best", "IAP v1, Section 4.1, Fig. 4", "Hybrid features against both others", theory_iap1_best},
    {"iap1-counts", "IAP v1, Section 1; IAP v2, 5.1", "How many numbers the hybrid map (10, 5) takes",
     theory_iap1_counts},
    {"iap1-compression", "IAP v1, Sections 1, 5", "How much smaller than a CNN the policy is", theory_iap1_compression},
    {"iap2-ranking", "IAP v2, Lemma 4.2", "What the top tokens are", theory_iap2_ranking},
    {"iap2-hashing", "IAP v2, Theorem 4.3", "Scores by sign hashing are near those of the features",
     theory_iap2_hashing},
    {"iap2-bits", "IAP v2, Theorem 4.3", "How many bits that takes", theory_iap2_bits},
    {"iap2-speed", "IAP v2, Theorem 4.3", "Whether hashing pays", theory_iap2_speed},
    {"iap2-tree", "IAP v2, Theorem 4.3", "Sampling by a tree in O(log L)", theory_iap2_tree},
    {"iap2-trig", "IAP v2, Theorem 4.4", "Trig features against brute force attention", theory_iap2_trig},
    {"iap2-positive", "IAP v2, Theorem 4.4, Eq. 6", "Unimportant tokens get low scores by positive features",
     theory_iap2_positive},
    {"iap2-orders", "IAP v2, Eq. 3", "The orders of multiplying P A V", theory_iap2_orders},
    {"iap2-recall", "IAP v2, Sections 1, 3.3", "Whether small maps attend like softmax", theory_iap2_recall},
    {"sara-mean", "SARA-RT, Lemma 3.1", "Mean of random exponential features", theory_sara_mean},
    {"sara-tail", "SARA-RT, Lemma 3.2", "Their concentration", theory_sara_tail},
    {"sara-features", "SARA-RT, Theorem 3.3", "How many features bring attention within delta", theory_sara_features},
    {"conv-isotropic", "Attention and convolution, 1.2", "The isotropic head as a case of the general one",
     theory_conv_isotropic},
    {"conv-logits", "Attention and convolution, 1", "Which weights leave position alone", theory_conv_logits},
    {"conv-nine", "Attention and convolution, 1.1", "Nine heads are a 3 x 3 convolution", theory_conv_nine},
    {"agent-parameters", "Attention agent, Section 4", "Its size and its scale", theory_agent_parameters},
    {0},
};
