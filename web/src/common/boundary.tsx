// SPDX-License-Identifier: MIT
import { Component, type ComponentChildren } from "preact";

/** Keeps a part that fails from taking the rest of the page with it. */
export class Boundary extends Component<{ children: ComponentChildren }, { problem: string | null }> {
  override state = { problem: null };

  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ problem: String(error) });
  }

  override render() {
    const { problem } = this.state;
    return problem === null ? this.props.children : <p class="note">This part cannot be shown: {problem}</p>;
  }
}
