// SPDX-License-Identifier: MIT
#include "manyverbs/metrics/internal/agreement.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "manyverbs/support/internal/json.h"

namespace manyverbs {
namespace {

// Fleiss, "Measuring nominal scale agreement among many raters", 1971, Table 1: six psychiatrists,
// 30 patients, 5 diagnoses.
const Matrix<int> kPsychiatrists(30, 5,
                                 {0, 0, 0, 6, 0, 0, 3, 0, 0, 3, 0, 1, 4, 0, 1, 0, 0, 0, 0, 6, 0, 3,
                                  0, 3, 0, 2, 0, 4, 0, 0, 0, 0, 4, 0, 2, 2, 0, 3, 1, 0, 2, 0, 0, 4,
                                  0, 0, 0, 0, 0, 6, 1, 0, 0, 5, 0, 1, 1, 0, 4, 0, 0, 3, 3, 0, 0, 1,
                                  0, 0, 5, 0, 0, 2, 0, 3, 1, 0, 0, 5, 0, 1, 3, 0, 0, 1, 2, 5, 1, 0,
                                  0, 0, 0, 2, 0, 4, 0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 6, 0, 1, 0, 5, 0,
                                  0, 2, 0, 1, 3, 2, 0, 0, 4, 0, 1, 0, 0, 4, 1, 0, 5, 0, 1, 0, 4, 0,
                                  0, 0, 2, 0, 2, 0, 4, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 6});

TEST(Agreement, FleissKappaOfHisPsychiatrists) {
  EXPECT_NEAR(fleiss_kappa(kPsychiatrists), 0.430, 5e-4);
}

// The example that most textbooks and implementations work through: 14 raters, 10 subjects.
TEST(Agreement, FleissKappaOfFourteenRaters) {
  const Matrix<int> counts(
      10, 5, {0, 0, 0, 0, 14, 0, 2, 6, 4, 2, 0, 0, 3, 5, 6, 0, 3, 9, 2, 0, 2, 2, 8, 1, 1,
              7, 7, 0, 0, 0,  3, 2, 6, 3, 0, 2, 5, 3, 2, 2, 6, 5, 2, 1, 0, 0, 2, 2, 3, 7});
  EXPECT_NEAR(fleiss_kappa(counts), 0.210, 5e-4);
}

// Krippendorff, "Computing Krippendorff's alpha-reliability", 2011, part D: four observers, 12
// units, values 1 to 5, some missing. Unit 12 has one value, which cannot be paired.
TEST(Agreement, KrippendorffsAlphaOfHisFourObservers) {
  const Matrix<int> counts(12, 5, {3, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0,
                                   0, 4, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 4, 0, 3, 1, 0, 0, 0,
                                   0, 4, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0});
  EXPECT_NEAR(krippendorff_alpha(counts), 0.743, 5e-4);
}

TEST(Agreement, TwoUnitsWorkedByHand) {
  const Matrix<int> counts(2, 2, {2, 0, 1, 1});
  EXPECT_DOUBLE_EQ(fleiss_kappa(counts), -1.0 / 3);
  EXPECT_DOUBLE_EQ(krippendorff_alpha(counts), 0);
}

TEST(Agreement, IsOneForPerfectAgreementWithSeveralCategories) {
  const Matrix<int> counts(3, 2, {3, 0, 0, 2, 5, 0});
  EXPECT_DOUBLE_EQ(fleiss_kappa(counts), 1);
  EXPECT_DOUBLE_EQ(krippendorff_alpha(counts), 1);
}

TEST(Agreement, IsUndefinedWithoutPairsOrWithOneCategory) {
  for (const Matrix<int>& counts :
       {Matrix<int>(0, 2), Matrix<int>(2, 2, {1, 0, 0, 1}), Matrix<int>(2, 2, {3, 0, 3, 0})}) {
    EXPECT_TRUE(std::isnan(fleiss_kappa(counts)));
    EXPECT_TRUE(std::isnan(krippendorff_alpha(counts)));
  }
}

TEST(Agreement, AUnitWithOneRaterIsIgnored) {
  const Matrix<int> without(2, 2, {2, 0, 1, 1});
  const Matrix<int> with(3, 2, {2, 0, 0, 1, 1, 1});
  EXPECT_DOUBLE_EQ(fleiss_kappa(with), fleiss_kappa(without));
  EXPECT_DOUBLE_EQ(krippendorff_alpha(with), krippendorff_alpha(without));
}

TEST(Agreement, TwoPeopleAndOneClipWorkedByHand) {
  const std::vector<ClipChoices> clips = {{{0, 1}, {{0}, {0, 1}}}};
  const Agreement found = agreement(clips, 2);
  EXPECT_DOUBLE_EQ(found.kappa_per_verb, -1);
  EXPECT_DOUBLE_EQ(found.kappa_pooled, -1.0 / 3);
  EXPECT_DOUBLE_EQ(found.kappa_per_clip, -1.0 / 3);
  EXPECT_DOUBLE_EQ(found.alpha, 0);
}

TEST(Agreement, OnePersonAndOthersWorkedByHand) {
  const std::vector<ClassId> cut = {0};
  const std::vector<ClassId> peel = {1};
  const std::vector<ClassId> both = {0, 1};
  const SharedClip example{both, cut, {cut, both}};
  EXPECT_DOUBLE_EQ(kappa_with_others(std::vector{example}), 0.5);
  // A clip without other answers has no effect.
  EXPECT_DOUBLE_EQ(kappa_with_others(std::vector{example, SharedClip{both, peel, {}}}), 0.5);
  EXPECT_DOUBLE_EQ(kappa_with_others(std::vector{SharedClip{both, cut, {cut}}}), 1);
  EXPECT_DOUBLE_EQ(kappa_with_others(std::vector{SharedClip{both, cut, {peel}}}), -1);
}

TEST(Agreement, OfOnePersonIsUndefinedWithoutOthersOrVariation) {
  const std::vector<ClassId> verbs = {0, 1};
  const std::vector<ClassId> none = {};
  EXPECT_TRUE(std::isnan(kappa_with_others({})));
  EXPECT_TRUE(std::isnan(kappa_with_others(std::vector{SharedClip{verbs, verbs, {}}})));
  EXPECT_TRUE(std::isnan(kappa_with_others(std::vector{SharedClip{verbs, verbs, {verbs}}})));
  EXPECT_TRUE(std::isnan(kappa_with_others(std::vector{SharedClip{verbs, none, {none}}})));
  EXPECT_DOUBLE_EQ(kappa_with_others(std::vector{SharedClip{verbs, verbs, {none}}}), 0);
}

TEST(Agreement, IsUndefinedWithoutClips) {
  const Agreement found = agreement({}, 5);
  for (const double value :
       {found.kappa_per_verb, found.kappa_pooled, found.kappa_per_clip, found.alpha}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Agreement, OfVaryingNumbersOfPeopleEqualsAnIndependentImplementation) {
  const std::filesystem::path path =
      std::filesystem::path(MANYVERBS_TEST_FOLDER) / "golden" / "agreement.json";
  const Json golden = read_json(path);
  std::vector<ClipChoices> clips;
  for (const Json& clip : golden["clips"]) {
    clips.push_back({clip["candidates"].get<std::vector<ClassId>>(),
                     clip["chosen"].get<std::vector<std::vector<ClassId>>>()});
  }
  const Agreement found = agreement(clips, golden["classes"].get<int>());
  EXPECT_NEAR(found.kappa_per_verb, golden["kappa_per_verb"].get<double>(), 1e-12);
  EXPECT_NEAR(found.kappa_pooled, golden["kappa_pooled"].get<double>(), 1e-12);
  EXPECT_NEAR(found.kappa_per_clip, golden["kappa_per_clip"].get<double>(), 1e-12);
  EXPECT_NEAR(found.alpha, golden["alpha"].get<double>(), 1e-12);
}

}  // namespace
}  // namespace manyverbs
