<?php

// Namespaces in braces, the last one without a name.

namespace Shapes {
    interface HasArea extends \Stringable, Comparable
    {
        const UNIT = 'm²';

        public string $label { get; }

        public function area(): float;

        public static function of(float ...$sides): static;
    }

    trait Named
    {
        private string $name = '';

        public static int $instances = 0;

        abstract public function id(): int;

        public function name(): string
        {
            return $this->name;
        }
    }

    /** An enum with cases, a constant and methods. */
    enum Suit: string implements HasLabel
    {
        use Named;

        /** Attached to the case. */
        case Hearts = 'H';
        #[Label('spades')]
        case Spades = 'S';

        const Wild = self::Spades;

        public static function fromChar(string $char): self
        {
            return self::from($char) ?? throw new \ValueError();
        }

        public function color(): string
        {
            return match ($this) {
                Suit::Hearts => 'red',
                Suit::Spades => 'black',
            };
        }
    }

    enum Status
    {
        case On;
        case Off;
    }

    abstract class Shape implements HasArea
    {
        /** With hooks. */
        public string $label {
            get => strtoupper($this->label);
            set(string $value) {
                $this->label = trim($value);
            }
        }

        public function __toString(): string
        {
            $printer = new class implements Printer {
                private int $calls = 0;

                public function print(Shape $shape): string
                {
                    return $shape->label;
                }
            };

            return $printer->print($this);
        }
    }
}

namespace {
    use Shapes\Shape;

    function describe(?Shape $shape): string
    {
        if ($shape instanceof \Shapes\Shape) {
            return (string) $shape;
        }

        return Shapes\Status::Off->name;
    }
}
