// SPDX-License-Identifier: MIT

/** An error reply of the fake server with a status, sent as ApiError. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly wait?: number,
  ) {
    super(message);
  }
}
