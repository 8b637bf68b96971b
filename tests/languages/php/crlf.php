<?php

namespace Lines;

/**
 * Line ends of two bytes.
 */
#[Attribute]
class Crlf
{
    private array $names = [
        'é',
    ];

    // Gone in the signatures.
    public function sum(
        int $left,
        int $right,
    ): int {
        return $left + $right;
    }
}

echo (new Crlf())->sum(1, 2);