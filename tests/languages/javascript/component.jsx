import React, { useState } from 'react';

/** A button. */
export const Button = ({ label, onPress }) => (
  <button onClick={() => onPress(label)}>{label}</button>
);

export default function App() {
  const [count, setCount] = useState(0);

  function increment() {
    setCount(count + 1);
  }

  return (
    <Layout.Page title="Größe">
      <Button label={count} onPress={increment} />
    </Layout.Page>
  );
}

const Memo = React.memo(function Inner(props) {
  return <Button {...props} />;
});

App.displayName = 'App';
