// SPDX-License-Identifier: MIT
import { Component, type ComponentChildren } from "preact";

/**
 * Keeps a part that fails from taking the rest of the page with it. The part is tried again when what is
 * around it changes, such as the rows that are chosen.
 */
export class Boundary extends Component<{ children: ComponentChildren }, { problem: string | null }> {
  override state = { problem: null };

  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ problem: String(error) });
  }

  override componentWillReceiveProps() {
    this.setState({ problem: null });
  }

  override render() {
    const { problem } = this.state;
    return problem === null ? this.props.children : <p class="note">This part cannot be shown: {problem}</p>;
  }
}
