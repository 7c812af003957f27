# The published draw of Confusing-HMDB-102, on the small split files in hmdb51/: one random sequence
# through splits 1 to 3, classes in order, one randint a training line. Writes confuse.csv beside it.
import pathlib
import random

HERE = pathlib.Path(__file__).parent
CLASSES = ["brush_hair", "climb", "climb_stairs"]
WAYS = 2

random.seed(12)
lines = ["split,clip,use,labels\n"]
for split in (1, 2, 3):
    for class_id, name in enumerate(CLASSES):
        for line in (HERE / "hmdb51" / f"{name}_test_split{split}.txt").read_text().splitlines():
            video, use = line.split()
            clip = f"{name}/{video[:-4]}"
            if use == "1":
                label = random.randint(0, WAYS - 1) * len(CLASSES) + class_id
                lines.append(f"{split},{clip},train,{label}\n")
            elif use == "2":
                labels = [way * len(CLASSES) + class_id for way in range(WAYS)]
                lines.append(f"{split},{clip},test,{' '.join(map(str, labels))}\n")
(HERE / "confuse.csv").write_text("".join(lines))
