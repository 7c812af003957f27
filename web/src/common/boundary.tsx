// SPDX-License-Identifier: MIT
import { Component, type ComponentChildren } from "preact";

/**
 * Error boundary: a failing part does not affect the rest of the page. It is rendered again when its
 * surroundings change, such as the selected rows.
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
