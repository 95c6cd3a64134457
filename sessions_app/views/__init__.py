"""The reviewer's pages. A view parses, authorises, calls one service and renders."""
