// SPDX-License-Identifier: MIT
#include "manyverbs/learning/internal/log_file.h"

#include <cmath>

#include "manyverbs/support/internal/files.h"
#include "tests/scratch.h"

namespace manyverbs {
namespace {

TEST(LogFile, IsReadAsItWasWritten) {
  const ScratchFolder scratch;
  TrainingLog log;
  log.names = {"iou", "f1"};
  log.epochs = {{1, 0.7, 0.6, {0.1, NAN}}, {2, 1e-7, NAN, {0.25, 1}}};
  write_log(scratch.path(), log);
  EXPECT_EQ(read_file(scratch / "log.csv"),
            "epoch,train_loss,validation_loss,iou,f1\n1,0.7,0.6,0.1,\n2,1e-07,,0.25,1\n");
  const TrainingLog read = read_log(scratch.path());
  EXPECT_EQ(read.names, log.names);
  ASSERT_EQ(read.epochs.size(), 2);
  EXPECT_EQ(read.epochs[0].epoch, 1);
  EXPECT_EQ(read.epochs[0].train_loss, 0.7);
  EXPECT_EQ(read.epochs[0].values[0], 0.1);
  EXPECT_TRUE(std::isnan(read.epochs[0].values[1]));
  EXPECT_EQ(read.epochs[1].train_loss, 1e-7);
  EXPECT_TRUE(std::isnan(read.epochs[1].validation_loss));
}

TEST(LogFile, AnInvalidNumberIsAnError) {
  const ScratchFolder scratch;
  scratch.write("log.csv", "epoch,train_loss,validation_loss,top1\n1,0.7,0.6,half\n");
  EXPECT_EQ(error_of(scratch, [&] { read_log(scratch.path()); }),
            "log.csv:2: top1 'half' is not a number");
}

}  // namespace
}  // namespace manyverbs
