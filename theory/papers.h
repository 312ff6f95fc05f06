#pragma once

#include "theorems.h"

/// The theorems, by paper. theorems.c lists them with their names.

// Choromanski et al. 2021, Unlocking Pixels (IAP), first version: hybrid features
sac_status theory_iap1_mse(theory_report *report);
sac_status theory_iap1_unbiased(theory_report *report);
sac_status theory_iap1_ends(theory_report *report);
sac_status theory_iap1_best(theory_report *report);
sac_status theory_iap1_counts(theory_report *report);
sac_status theory_iap1_compression(theory_report *report);

// Choromanski et al. 2021, Unlocking Pixels (IAP), second version: ranking, hashing, sampling, bounds
sac_status theory_iap2_ranking(theory_report *report);
sac_status theory_iap2_hashing(theory_report *report);
sac_status theory_iap2_bits(theory_report *report);
sac_status theory_iap2_speed(theory_report *report);
sac_status theory_iap2_tree(theory_report *report);
sac_status theory_iap2_trig(theory_report *report);
sac_status theory_iap2_positive(theory_report *report);
sac_status theory_iap2_orders(theory_report *report);
sac_status theory_iap2_recall(theory_report *report);

// Leal et al. 2023, SARA-RT
sac_status theory_sara_mean(theory_report *report);
sac_status theory_sara_tail(theory_report *report);
sac_status theory_sara_features(theory_report *report);

// "Attention layer can implement CNN": attention and convolution
sac_status theory_conv_isotropic(theory_report *report);
sac_status theory_conv_logits(theory_report *report);
sac_status theory_conv_nine(theory_report *report);
sac_status theory_conv_bound(theory_report *report);

// Tang et al. 2020: the attention agent
sac_status theory_agent_parameters(theory_report *report);
