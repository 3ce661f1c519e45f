"""Delivery: pending events of each queue, parked polls, wake-up, and pages of the log."""
