// SPDX-License-Identifier: MIT
import { duration, plural } from "../../common/format";
import { Name } from "../../common/name";
import type { PersonAnswers as Page } from "../api";
import { Names } from "./names";
import { usePaged } from "./paged";
import { ShowMore } from "./show_more";
import { ClipCard } from "./votes";
import { ago } from "./words";

type Entry = Page["answers"][number];

function Said({ name, answer }: { name: string; answer: Entry }) {
  return (
    <p class="said">
      <Name text={name} />:{" "}
      <strong>{answer.nothing ? "nothing happens here" : <Names names={answer.chosen} />}</strong>
      {!answer.confident && ", not confident"}{" "}
      <span class="note">
        {duration(answer.seconds)}, <span title={answer.time}>{ago(answer.time, Date.now())}</span>
      </span>
    </p>
  );
}

/** The answers of one person, newest first, with what everybody said about the clips. */
export function PersonAnswers({ id }: { id: number }) {
  const list = usePaged<Page, Entry>(
    `/api/leader/answers?person=${id}&`,
    ({ answers }) => answers,
    ({ clip }) => clip.task,
  );
  const { page } = list;
  return (
    <>
      <div class="heading">
        <h1>
          {page ? (
            <>
              <Name text={page.name} />: {page.total ? plural(page.total, "answer") : "no answers"}{" "}
              {page.state !== "active" && <span class="badge">{page.state}</span>}
            </>
          ) : (
            "Answers"
          )}
        </h1>
        <a class="button" href="#people">
          All people
        </a>
      </div>
      {page?.state === "excluded" && (
        <p class="note">These answers do not count; the tables show those of the others.</p>
      )}
      <p class="error" role="alert">
        {list.failure}
      </p>
      <ol class="disputes">
        {list.entries.map((answer) => (
          <ClipCard key={answer.clip.task} clip={answer.clip}>
            <Said name={page!.name} answer={answer} />
          </ClipCard>
        ))}
      </ol>
      <ShowMore list={list} />
    </>
  );
}
