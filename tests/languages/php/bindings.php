<?php

// Names whose type is plain: what a receiver is can be read off without a compiler.

namespace Cars;

use Parts\Engine;
use Parts\Factory as EngineFactory;

$engine = new Engine();

function build(Engine $engine): Car
{
    return new Car($engine);
}

class Car extends Vehicle
{
    private ?Engine $spare = null;

    protected $radio;

    public function __construct(private readonly Engine $engine, EngineFactory|null $factory = null)
    {
        parent::__construct();
        $this->radio = new \Parts\Radio('fm');
        $this->spare = $factory?->create($engine);
    }

    public function repair(Garage $garage): static
    {
        $mended = $garage->repair($this->engine);
        $other = EngineFactory::create();
        $built = build($other);
        $again = namespace\build($other);
        try {
            $mended->start();
        } catch (Broken|Lost $problem) {
            $problem->report();
        }

        return new static($mended);
    }
}
