// SPDX-License-Identifier: MIT
#include "manyverbs/support/internal/interruption.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <thread>
#include <type_traits>

#include <gtest/gtest.h>

#include "tests/interrupting.h"

namespace manyverbs {
namespace {

static_assert(!std::is_base_of_v<std::exception, Interrupted>,
              "code that handles a clip or a run that failed must let it pass");

TEST(Interruption, WithoutASignalNothingStops) {
  const InterruptionHandler handler;
  EXPECT_FALSE(interrupted());
  EXPECT_NO_THROW(stop_if_interrupted());
}

TEST(Interruption, BothSignalsStopTheWork) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptionHandler handler;
    std::raise(signal);
    EXPECT_TRUE(interrupted());
    EXPECT_THROW(stop_if_interrupted(), Interrupted);
    EXPECT_THROW(stop_if_interrupted(), Interrupted) << "work may have several loops to leave";
  }
}

TEST(Interruption, ANewHandlerIgnoresEarlierSignals) {
  {
    const InterruptionHandler handler;
    std::raise(SIGINT);
  }
  EXPECT_FALSE(interrupted());
  const InterruptionHandler handler;
  EXPECT_FALSE(interrupted());
}

constexpr std::chrono::milliseconds kAnotherSignal(600);

TEST(Interruption, AnIgnoredSignalStaysIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const InterruptionHandler handler;
    std::raise(SIGINT);
    EXPECT_FALSE(interrupted());
    std::raise(SIGTERM);
    EXPECT_TRUE(interrupted());
    std::this_thread::sleep_for(kAnotherSignal);
    std::raise(SIGINT);
  }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

TEST(Interruption, DescribesWhatWasSaved) {
  EXPECT_EQ(Interrupted().kept(), "");
  EXPECT_EQ(Interrupted("saved after epoch 3").kept(), "saved after epoch 3");
}

// Programs such as timeout send a signal twice.
TEST(Interruption, TwoSignalsInQuickSuccessionCountAsOne) {
  const InterruptionHandler handler;
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_TRUE(interrupted());
}

TEST(Interruption, ASignalBetweenTwoProgramsIsPassedOn) {
  {
    const InterruptionHandler handler;
    pass_signals_on();
    std::raise(SIGTERM);
    EXPECT_FALSE(interrupted());
  }
  const InterruptionHandler handler_of_the_next_program;
  EXPECT_TRUE(interrupted());
}

TEST(Interruption, ASignalBeforeTheNextProgramStops) {
  const InterruptionHandler handler;
  std::raise(SIGINT);
  EXPECT_THROW(pass_signals_on(), Interrupted);
  const sigset_t none{};
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

TEST(Interruption, AClosedOutputDoesNotEndTheProgram) {
  const InterruptionHandler handler;
  std::raise(SIGINT);
  EXPECT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_IGN);
}

void raise_both(int first, int second) {
  const InterruptionHandler handler;
  std::raise(first);
  std::this_thread::sleep_for(kAnotherSignal);
  std::raise(second);
}

TEST(InterruptionDeathTest, TheSecondSignalEndsTheProgramAtOnce) {
  EXPECT_EXIT(raise_both(SIGINT, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(raise_both(SIGTERM, SIGTERM), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(raise_both(SIGINT, SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace manyverbs
