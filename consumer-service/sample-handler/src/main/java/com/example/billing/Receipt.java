package com.example.billing;

/** What is kept of a finished effect. */
public record Receipt(String invoiceNumber) {}
