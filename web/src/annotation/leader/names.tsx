// SPDX-License-Identifier: MIT
import { Fragment } from "preact";

import { Name } from "../../common/name";

/** "Anna, Ben" */
export function Names({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name, at) => (
        <Fragment key={at}>
          {at > 0 && ", "}
          <Name text={name} />
        </Fragment>
      ))}
    </>
  );
}
